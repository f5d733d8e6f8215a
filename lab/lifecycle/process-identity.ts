import { readFileSync } from 'node:fs';

/** A process as nobody else can be it: its number with its start time, for numbers are given again. */
function processIdentity(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may hold anything; fields are counted from behind it. Field 22 is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    return state === 'Z' ? null : `${pid}:${fields[19] ?? ''}`;
  } catch {
    return null;
  }
}

export function thisProcess(): string {
  return processIdentity(process.pid) ?? `${process.pid}:`;
}

export function isRunning(identity: string): boolean {
  const pid = Number.parseInt(identity, 10);
  return Number.isInteger(pid) && pid > 0 && processIdentity(pid) === identity;
}
