import { createInterface } from 'node:readline/promises';

/** Where a command writes and asks. Data goes to `out`, everything else to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
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

/** The terminal of a process. */
export function processTerminal(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): Terminal {
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    outIsScreen: stdout.isTTY,
    canAsk: stdin.isTTY && stderr.isTTY,
    width: () => (stdout.isTTY ? stdout.columns : 120),
    height: () => (stdout.isTTY ? stdout.rows : Number.POSITIVE_INFINITY),
    ask: async (question, signal) => {
      const reader = createInterface({ input: stdin, output: stderr });
      try {
        return await reader.question(question, { signal });
      } finally {
        reader.close();
      }
    },
  };
}
