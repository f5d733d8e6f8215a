import { API_VERSION } from '../config/kinds/envelope.js';
import type { Cli } from './cli.js';

/** Machine output of every verb: one document with `apiVersion` and `kind`; additions only within a version. */
export function printDocument(
  cli: Cli,
  kind: string,
  content: Readonly<Record<string, unknown>>,
): void {
  const document = { apiVersion: API_VERSION, kind, ...content };
  const text =
    cli.output === 'jsonl' ? JSON.stringify(document) : JSON.stringify(document, null, 2);
  if (cli.output === 'jsonl') startStream(cli);
  cli.terminal.out(`${text}\n`);
}

/** First record of a stream: by it a reader knows what it reads. */
export function startStream(cli: Cli): void {
  cli.terminal.out(`${JSON.stringify({ type: 'version', schema: API_VERSION })}\n`);
}

/** Whether people read this output. */
export function isText(cli: Cli): boolean {
  return cli.output === 'text';
}
