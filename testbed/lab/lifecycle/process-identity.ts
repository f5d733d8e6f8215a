import { statOf } from '../host/proc-files.js';

/** A unique identity of a process: its pid with its start time, because pids are reused. */
function processIdentity(pid: number): string | null {
  const stat = statOf(pid);
  return stat === null || stat.state === 'Z' ? null : `${pid}:${stat.startTicks}`;
}

export function thisProcess(): string {
  return processIdentity(process.pid) ?? `${process.pid}:`;
}

export function isRunning(identity: string): boolean {
  const pid = Number.parseInt(identity, 10);
  return Number.isInteger(pid) && pid > 0 && processIdentity(pid) === identity;
}
