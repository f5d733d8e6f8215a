import { readFileSync, statSync } from 'node:fs';

/** What the kernel says of a process in /proc/PID/stat (proc(5)); null when it is gone. */
export interface ProcessStat {
  /** `R`, `S`, `D`, `T` (stopped), `Z` (dead, not yet reaped), … */
  readonly state: string;
  /** Ticks from the boot to its start: with the number it is nobody else. */
  readonly startTicks: number;
}

export function statOf(pid: number): ProcessStat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may hold anything; fields are counted from behind it. Field 22 is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    return { state, startTicks: Number(fields[19]) };
  } catch {
    return null;
  }
}

/** The words of a process's command line; none when it is gone, or a thread of the kernel. */
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

/** Which network namespace it is in; null when it is gone. */
export function networkOf(pid: number): number | null {
  try {
    return statSync(`/proc/${pid}/ns/net`).ino;
  } catch {
    return null;
  }
}
