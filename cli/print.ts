import { plainJson } from '../domain/plain-text.js';
import { API_VERSION } from '../config/kinds/envelope.js';
import type { Cli, OutputFormat } from './cli.js';

/** Machine output of every verb: one document with `apiVersion` and `kind`; additions only within a version. */
export function printDocument(
  cli: Cli,
  kind: string,
  content: Readonly<Record<string, unknown>>,
): void {
  if (cli.output === 'jsonl') startStream(cli);
  cli.terminal.out(documentText(cli.output, kind, content));
}

/** One document as it is printed: a line of its own in a stream, else indented. */
export function documentText(output: OutputFormat, kind: string, content: object): string {
  const document = { apiVersion: API_VERSION, kind, ...content };
  return `${plainJson(document, output === 'jsonl' ? 0 : 2)}\n`;
}

/** First record of a stream: by it a reader knows what it reads. */
export function startStream(cli: Cli): void {
  cli.terminal.out(`${JSON.stringify({ type: 'version', schema: API_VERSION })}\n`);
}

/** Whether people read this output. */
export function isText(cli: Cli): boolean {
  return cli.output === 'text';
}

/** How wide the screen is; nothing where nobody looks at one. */
export function screen({ terminal }: Cli): { readonly width?: number } {
  return terminal.outIsScreen ? { width: terminal.width() } : {};
}
