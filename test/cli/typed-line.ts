import { execFileSync } from 'node:child_process';
import type { Invocation } from '../../cli/run.js';
import { createProgram } from '../../cli/run.js';

/** The arguments of a line as a shell splits it. */
export function typed(line: string): readonly string[] {
  return execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

/** What a printed line means as a command line; nothing where it is not exactly one command. */
export async function invocationOf(line: string): Promise<Invocation | null> {
  const [first, ...words] = typed(line);
  if (first !== 'ccm-migrate') return null;
  const seen: Invocation[] = [];
  const output = { out: () => undefined, err: () => undefined };
  await createProgram(async (invocation) => void seen.push(invocation), output).parseAsync(words, {
    from: 'user',
  });
  return seen.length === 1 ? (seen[0] ?? null) : null;
}

/** The text after `Next:`. */
export function nextOf(text: string): string {
  return /^Next: +(.*)$/m.exec(text)?.[1] ?? '';
}
