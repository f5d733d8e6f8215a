import { createInterface } from 'node:readline/promises';
import { severalLines } from '../../domain/plain-text.js';

/** Where a command writes and asks. Data goes to `out`, everything else to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Writes what moves the cursor and erases, by sequences of our own around `shown` texts; only where `outIsScreen`. */
  readonly paint: (text: string) => void;
  /** Whether data is read by a person on a screen: only then are lines painted over. */
  readonly outIsScreen: boolean;
  /** Whether somebody can answer a question. */
  readonly canAsk: boolean;
  width(): number;
  /** Rows of the screen; only where there is one. */
  height(): number;
  /** One line of an answer. Only when `canAsk`. */
  ask(question: string, signal: AbortSignal): Promise<string>;
}

/** Colours and weights that the theme uses, and their ends. */
// eslint-disable-next-line no-control-regex -- they are what may pass
const STYLES = /(\u001b\[(?:0|1|22|31|32|33|39|90)m)/;

/** What may be shown: whoever wrote it, no other control character than line ends, tabs and the styles of the theme. */
export function shown(text: string): string {
  return text
    .split(STYLES)
    .map((part, index) => (index % 2 === 1 ? part : severalLines(part)))
    .join('');
}

/** The terminal of a process. */
export function processTerminal(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): Terminal {
  return {
    out: (text) => void stdout.write(shown(text)),
    err: (text) => void stderr.write(shown(text)),
    paint: (text) => void stdout.write(text),
    outIsScreen: stdout.isTTY,
    canAsk: stdin.isTTY && stderr.isTTY,
    width: () => (stdout.isTTY ? stdout.columns : 120),
    height: () => (stdout.isTTY ? stdout.rows : Number.POSITIVE_INFINITY),
    ask: async (question, signal) => {
      const reader = createInterface({ input: stdin, output: stderr });
      try {
        return await reader.question(shown(question), { signal });
      } finally {
        reader.close();
      }
    },
  };
}
