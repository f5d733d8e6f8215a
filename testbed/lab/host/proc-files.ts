import { readFileSync, statSync } from 'node:fs';

/** What the kernel reports about a process in /proc/PID/stat (proc(5)); null when it has ended. */
export interface ProcessStat {
  /** `R`, `S`, `D`, `T` (stopped), `Z` (dead, not yet reaped), … */
  readonly state: string;
  /** Ticks from boot to its start: with the pid it identifies the process uniquely. */
  readonly startTicks: number;
}

export function statOf(pid: number): ProcessStat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain anything, so fields are counted after it. Field 22 is the start
    // time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    return { state, startTicks: Number(fields[19]) };
  } catch {
    return null;
  }
}

/** The arguments of a process, program first; empty when it has ended, or is a kernel thread. */
export function commandLineOf(pid: number): readonly string[] {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.at(-1) === '' ? words.slice(0, -1) : words;
  } catch {
    return [];
  }
}

/** File name of the program that a process was started as. */
export function programOf(pid: number): string {
  return commandLineOf(pid)[0]?.split('/').at(-1) ?? '';
}

/** Inode of its network namespace; null when it has ended. */
export function networkOf(pid: number): number | null {
  try {
    return statSync(`/proc/${pid}/ns/net`).ino;
  } catch {
    return null;
  }
}
