import { readFileSync } from 'node:fs';

/** What a process used. One that was restarted under another pid is counted on. */
export interface ProcessUsage {
  readonly sample: (pid: number) => void;
  /** Largest resident memory that was seen, in MiB. */
  readonly peakMiB: () => number;
  readonly cpuSeconds: () => number;
}

const TICKS_PER_SECOND = 100;

/** Linux only; a process that has ended adds nothing to what was seen before. */
export function openUsage(read: (path: string) => string = readText): ProcessUsage {
  let peakKiB = 0;
  const ticks = new Map<number, number>();
  return {
    sample: (pid) => {
      peakKiB = Math.max(peakKiB, residentKiB(read(`/proc/${pid}/status`)));
      const used = usedTicks(read(`/proc/${pid}/stat`));
      if (used !== null) ticks.set(pid, used);
    },
    peakMiB: () => peakKiB / 1024,
    cpuSeconds: () => [...ticks.values()].reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND,
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The peak that the kernel keeps, so that none between two samples is missed. */
function residentKiB(status: string): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

/** User and system time. The name of the command, in parentheses, may hold spaces. */
function usedTicks(stat: string): number | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return Number.isNaN(user + system) ? null : user + system;
}
