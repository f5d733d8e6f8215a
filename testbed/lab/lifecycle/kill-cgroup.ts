import { setTimeout as sleep } from 'node:timers/promises';
import { processesIn } from '../host/cgroups.js';

const POLL_EVERY_MS = 20;
const PATIENCE_MS = 20_000;

/**
 * SIGKILL to every process in a cgroup and below it, repeated until none is left: a process that forks during the
 * scan leaves a child. Paused processes die too. @throws Error when some remain, which only happens inside the
 * kernel.
 */
export async function killCgroup(name: string): Promise<void> {
  const endsAt = Date.now() + PATIENCE_MS;
  for (let left = processesIn(name); left.length > 0; left = processesIn(name)) {
    for (const pid of left) kill(pid);
    if (Date.now() > endsAt) throw new Error(`processes ${left.join(', ')} of ${name} do not end`);
    await sleep(POLL_EVERY_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
