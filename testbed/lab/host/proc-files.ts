import { readFileSync, statSync } from 'node:fs';

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
