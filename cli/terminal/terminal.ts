import { createInterface } from 'node:readline/promises';
import { severalLines } from '../../domain/findings/plain-text.js';

/** Where a command writes and asks. Data goes to `out`, everything else to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Writes cursor movement and erasure, as our own sequences around `shown` texts; only where `outIsScreen`. */
  readonly paint: (text: string) => void;
  /** Whether a person reads the data on a screen: only then are lines repainted. */
  readonly outIsScreen: boolean;
  /** Whether an operator can answer a question. */
  readonly canAsk: boolean;
  width(): number;
  /** Rows of the screen; absent without one. */
  height(): number;
  /** Reads one line of an answer, empty where the input ends (Ctrl-D). Only when `canAsk`. */
  ask(question: string, signal: AbortSignal): Promise<string>;
}

/** Colours and weights that the theme uses, and their resets. */
// eslint-disable-next-line no-control-regex -- these sequences are allowed through
const STYLES = /(\u001b\[(?:0|1|22|31|32|33|39|90)m)/;

/** Sanitises a text of any origin: no control characters other than line ends, tabs and the theme's styles. */
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
      // Of a terminal in this mode Ctrl-C is a character, which readline takes for the end of the input.
      reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
      try {
        return await Promise.race([reader.question(shown(question), { signal }), ended]);
      } finally {
        reader.close();
      }
    },
  };
}
