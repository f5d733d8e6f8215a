import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createRequire } from 'node:module';
import type * as Xterm from '@xterm/headless';

// The package is CommonJS; Node's loader does not detect its named exports.
const xterm = createRequire(import.meta.url)('@xterm/headless') as typeof Xterm;

/** A shell in a terminal, as a user has it: keystrokes go in, screen content comes out. */
export interface Shell {
  /** Types a line, waits for the next prompt, and returns what the screen shows between the two. */
  readonly type: (line: string) => Promise<string>;
  /** Types a line and answers its question. */
  readonly answer: (line: string, question: RegExp, answer: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

const ROWS = 50;
const PROMPT = /^(\d+) \$ ?/;
const PROMPT_WITHIN_MS = 240_000;

/** Opens bash in a pseudo-terminal of `columns`, by script(1) of util-linux. */
export async function openShell(
  columns: number,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Shell> {
  const screen = new xterm.Terminal({
    cols: columns,
    rows: ROWS,
    scrollback: 10_000,
    allowProposedApi: true,
  });
  const shell = `stty cols ${String(columns)} rows ${String(ROWS)}; exec bash --norc --noprofile -i`;
  const child = spawn('script', ['-qfec', shell, '/dev/null'], {
    cwd,
    env: { ...env, PS1: String.raw`\# $ `, TERM: 'xterm-256color', HISTFILE: '' },
    stdio: 'pipe',
  });
  let changed: () => void = () => undefined;
  child.stdout.on('data', (data: Buffer) => {
    screen.write(data, () => {
      changed();
    });
  });
  const until = async (holds: () => boolean): Promise<void> => {
    const deadline = AbortSignal.timeout(PROMPT_WITHIN_MS);
    while (!holds()) {
      if (deadline.aborted) throw new Error(`no prompt came:\n${linesOf(screen).join('\n')}`);
      await Promise.race([
        new Promise<void>((resolve) => {
          changed = resolve;
        }),
        new Promise<void>((resolve) => {
          deadline.addEventListener(
            'abort',
            () => {
              resolve();
            },
            { once: true },
          );
        }),
      ]);
    }
  };
  await until(() => promptAt(screen) !== null);
  return driven(child, screen, until);
}

function driven(
  child: ChildProcessWithoutNullStreams,
  screen: Xterm.Terminal,
  until: (holds: () => boolean) => Promise<void>,
): Shell {
  const typed = async (line: string, more: () => Promise<void>): Promise<string> => {
    const from = promptAt(screen) ?? 0;
    child.stdin.write(`${line}\n`);
    await more();
    await until(() => (promptAt(screen) ?? 0) > from);
    const [begin, end] = [rowOf(screen, from), rowOf(screen, from + 1)];
    return linesOf(screen).slice(begin, end).join('\n').replace(PROMPT, '$ ');
  };
  return {
    type: (line) => typed(line, async () => undefined),
    answer: (line, question, answer) =>
      typed(line, async () => {
        await until(() => question.test(linesOf(screen).at(-1) ?? ''));
        child.stdin.write(`${answer}\n`);
      }),
    close: async () => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.stdin.end('exit\n');
      await ended;
    },
  };
}

/** The final screen content of a text written to a screen of `columns`. */
export async function seenOf(written: string, columns: number): Promise<string> {
  const screen = new xterm.Terminal({
    ...{ cols: columns, rows: ROWS, convertEol: true, allowProposedApi: true },
  });
  await new Promise<void>((resolve) => {
    screen.write(written, resolve);
  });
  return `${linesOf(screen).join('\n').trimEnd()}\n`;
}

/** Everything that is or was on the screen, wrapped lines joined, without the empty rows at the end. */
function linesOf({ buffer }: Xterm.Terminal): readonly string[] {
  const { active } = buffer;
  const lines: string[] = [];
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row);
    // Where the next row continues this one, trailing spaces are part of the text.
    const goesOn = active.getLine(row + 1)?.isWrapped === true;
    const text = line?.translateToString(!goesOn) ?? '';
    if (line?.isWrapped === true) lines.push(`${lines.pop() ?? ''}${text}`);
    else lines.push(text);
  }
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(0, last + 1);
}

/** Number of the waiting prompt; null while a command runs. */
function promptAt(screen: Xterm.Terminal): number | null {
  const found = /^(\d+) \$$/.exec(linesOf(screen).at(-1)?.trimEnd() ?? '');
  return found === null ? null : Number(found[1]);
}

function rowOf(screen: Xterm.Terminal, prompt: number): number {
  return linesOf(screen).findIndex(
    (line) => line === `${String(prompt)} $` || line.startsWith(`${String(prompt)} $ `),
  );
}
