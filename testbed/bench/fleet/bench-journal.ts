import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Target } from '../../../domain/vocabulary.js';

/** What happened to one cluster, on the clock of the model itself. */
export type JournalLine = { readonly atMs: number; readonly cluster: string } & (
  | { readonly kind: 'fence'; readonly run: string; readonly nonce: string; readonly epoch: number }
  /** A step began to change the cluster. */
  | { readonly kind: 'step'; readonly target: Target }
  /** Its effect; `done` steps of the forward direction are in force now. */
  | { readonly kind: 'changed'; readonly target: Target; readonly done: number }
  | { readonly kind: 'failed'; readonly signature: string }
  | { readonly kind: 'soak'; readonly target: Target }
  | { readonly kind: 'soaked'; readonly target: Target }
  | { readonly kind: 'closed'; readonly outcome: string }
);

/** Written before anything follows from the line, so that a killed worker loses nothing that happened. */
export function writeLine(file: string, line: JournalLine): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** @throws SyntaxError for a line that is not whole. */
export function readJournal(file: string): readonly JournalLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(
      (line) =>
        // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- writeLine wrote it
        JSON.parse(line) as JournalLine,
    );
}
