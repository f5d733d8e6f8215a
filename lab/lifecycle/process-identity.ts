import { statOf } from '../host/proc-files.js';

/** A process as nobody else can be it: its number with its start time, for numbers are given again. */
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
