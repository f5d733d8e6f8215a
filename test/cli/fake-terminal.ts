import { shown, type Terminal } from '../../cli/terminal/terminal.js';
import { run } from '../../cli/run.js';

export interface FakeTerminal extends Terminal {
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** A terminal that records what was written; answers come from a list. */
export function fakeTerminal(
  options: {
    readonly screen?: boolean;
    readonly width?: number;
    readonly height?: number;
    readonly answers?: readonly string[];
  } = {},
): FakeTerminal {
  const written = { out: '', err: '' };
  const answers = [...(options.answers ?? [])];
  return {
    out: (text) => void (written.out += shown(text)),
    err: (text) => void (written.err += shown(text)),
    paint: (text) => void (written.out += text),
    outIsScreen: options.screen ?? false,
    canAsk: answers.length > 0,
    width: () => options.width ?? 80,
    height: () => options.height ?? 50,
    ask: async () => answers.shift() ?? '',
    stdout: () => written.out,
    stderr: () => written.err,
  };
}

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line as `main.ts` does, on a fake terminal. */
export async function ran(
  argv: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly terminal?: FakeTerminal;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Ran> {
  const terminal = options.terminal ?? fakeTerminal();
  const exit = await run(argv, {
    terminal,
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
  });
  return { exit, stdout: terminal.stdout(), stderr: terminal.stderr() };
}
