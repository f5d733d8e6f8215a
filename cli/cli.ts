import type { Environment } from '../devserver/process-environment.js';
import { parseDuration } from '../config/duration.js';
import { API_VERSION } from '../config/kinds/envelope.js';
import { plainJson } from '../domain/findings/plain-text.js';
import type { ExitStatus } from './exit-status.js';
import { UsageError } from './cli-error.js';
import type { Terminal } from './terminal/terminal.js';
import type { Theme } from './terminal/theme.js';

export type { Environment };
/** `csv` only where a verb declares it. */
export type OutputFormat = 'text' | 'json' | 'jsonl' | 'csv';

/** The context of one command: passed in, never taken from globals. */
export interface Cli {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly env: Environment;
  readonly output: OutputFormat;
  /** Aborted by Ctrl-C or a termination signal. */
  readonly signal: AbortSignal;
  readonly options: OptionReader;
  /** Arguments that are not flags, in order. */
  readonly arguments: readonly string[];
  /** The command line as it was typed, without the program's name. */
  readonly typed: readonly string[];
}

/** What a verb does; the result becomes the exit code. */
export type CommandAction = (cli: Cli) => Promise<ExitStatus>;

/** Reads flags by name; a flag that the verb does not declare reads as absent. */
export interface OptionReader {
  text(name: string): string | null;
  texts(name: string): readonly string[];
  /** Whether it was typed: a preset reads as given, too. */
  isTyped(name: string): boolean;
  flag(name: string): boolean;
  /** Milliseconds; null when not given. */
  durationMs(name: string): number | null;
  number(name: string): number | null;
  /** A number without a fraction, not above `most`. */
  count(name: string, most?: number): number | null;
}

export function optionReader(
  values: Readonly<Record<string, unknown>>,
  typed: readonly string[] = Object.keys(values),
): OptionReader {
  const text = (name: string): string | null => {
    const value = values[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    text,
    texts: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.map(String) : [];
    },
    isTyped: (name) => typed.includes(name),
    flag: (name) => values[name] === true,
    durationMs: (name) => {
      const written = text(name);
      return written === null ? null : requireDuration(name, written);
    },
    number: (name) => {
      const written = text(name);
      return written === null ? null : requireNumber(name, written);
    },
    count: (name, most = Number.MAX_SAFE_INTEGER) => {
      const written = text(name);
      return written === null ? null : requireCount(name, written, most);
    },
  };
}

function requireDuration(name: string, written: string): number {
  const ms = parseDuration(written);
  if (ms === null) {
    throw new UsageError(`--${kebab(name)} ${written}: write a duration such as 30m or 90s`);
  }
  return ms;
}

function requireNumber(name: string, written: string): number {
  const number = Number(written);
  if (!Number.isFinite(number) || number <= 0) {
    throw new UsageError(`--${kebab(name)} ${written}: write a number above 0`);
  }
  return number;
}

function requireCount(name: string, written: string, most: number): number {
  const number = Number(written);
  if (!/^\d+$/.test(written) || number < 1 || number > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? 'above 0' : `from 1 to ${String(most)}`;
    throw new UsageError(`--${kebab(name)} ${written}: write a whole number ${range}`);
  }
  return number;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Machine-readable output of every verb: one document with `apiVersion` and `kind`; a version is only ever added to. */
export function printDocument(
  cli: Cli,
  kind: string,
  content: Readonly<Record<string, unknown>>,
): void {
  if (cli.output === 'jsonl') startStream(cli);
  cli.terminal.out(documentText(cli.output, kind, content));
}

/** Serialises one document: on one line in a stream, indented otherwise. */
export function documentText(output: OutputFormat, kind: string, content: object): string {
  const document = { apiVersion: API_VERSION, kind, ...content };
  return `${plainJson(document, output === 'jsonl' ? 0 : 2)}\n`;
}

/** First record of a stream: it identifies the schema of the records that follow. */
export function startStream(cli: Cli): void {
  cli.terminal.out(`${JSON.stringify({ type: 'version', schema: API_VERSION })}\n`);
}

/** Whether people read this output. */
export function isText(cli: Cli): boolean {
  return cli.output === 'text';
}

/** Width of the screen in columns; absent when output does not go to a screen. */
export function screen({ terminal }: Cli): { readonly width?: number } {
  return terminal.outIsScreen ? { width: terminal.width() } : {};
}
