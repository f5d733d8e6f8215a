import { readFileSync } from 'node:fs';
import { systemErrorCode } from './failure-reason.js';

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
    // The name is in parentheses and may contain anything, so fields are counted after it. Field 22 is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    return { state, startTicks: Number(fields[19]) };
  } catch {
    return null;
  }
}

/**
 * Identifies a process uniquely: its pid with its start time, because pids are reused. Without
 * /proc (macOS) the start time is unknown and the pid alone has to do.
 */
export function processIdentity(pid: number): string | null {
  const stat = statOf(pid);
  if (stat !== null) return stat.state === 'Z' ? null : `${pid}:${stat.startTicks}`;
  return process.platform !== 'linux' && answersSignals(pid) ? `${pid}:` : null;
}

export function thisProcess(): string {
  return processIdentity(process.pid) ?? `${process.pid}:`;
}

export function isRunning(identity: string): boolean {
  const pid = Number.parseInt(identity, 10);
  return Number.isInteger(pid) && pid > 0 && processIdentity(pid) === identity;
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It belongs to another user.
    return systemErrorCode(error) === 'EPERM';
  }
}
