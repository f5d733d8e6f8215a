import { setTimeout as delay } from 'node:timers/promises';
import type { Manager } from '../../../domain/vocabulary.js';
import type { HostProcess, NodeSnapshot } from '../../ports.js';
import type { SeenHost } from './host-answer.js';

export interface ElectionReads {
  /** The election series of a manager; null when they are not available. */
  readonly elections: (manager: Manager) => Promise<string | null>;
  /** The host as it is now. */
  readonly readAgain: () => Promise<SeenHost['host']>;
}

/** A manager on the node's loopback answers within milliseconds. */
const LATE_MS = 500;

/**
 * The election series of a host's managers. A page that is late may be that of a process which a signal stopped after the host was
 * read: it hangs for its whole time limit, and the harm would be noticed only then. So the host is read again, and a
 * manager that turns out to be stopped is told at once. Of the second reading nothing else counts: files were read beside the first.
 */
export async function electionsOf(
  { host }: SeenHost,
  { elections, readAgain }: ElectionReads,
): Promise<Pick<NodeSnapshot, 'host' | 'elections'>> {
  const read = { kcm: elections('kcm'), ccm: elections('ccm') };
  const both = Promise.all([read.kcm, read.ccm]);
  const answered = await answeredInTime(both);
  const now = answered ? null : await readAgain().catch(() => null);
  const stopped = now?.processes.filter(({ paused }) => paused) ?? [];
  const processes = host.processes.map((process) =>
    stopped.some((each) => isSame(each, process)) ? { ...process, paused: true } : process,
  );
  // Those that are not awaited any more end by their own limit.
  both.catch(() => undefined);
  const roleOf = (manager: Manager): Promise<string | null> =>
    stopped.some((each) => each.manager === manager) ? Promise.resolve(null) : read[manager];
  const [kcm, ccm] = await Promise.all([roleOf('kcm'), roleOf('ccm')]);
  return { host: { ...host, processes }, elections: { kcm, ccm } };
}

function isSame(one: HostProcess, other: HostProcess): boolean {
  return (
    one.manager === other.manager && one.pid === other.pid && one.startTicks === other.startTicks
  );
}

/** Whether it settled before it is late. */
async function answeredInTime(read: Promise<unknown>): Promise<boolean> {
  const waiting = new AbortController();
  const settled = read.then(
    () => true,
    () => true,
  );
  const late = delay(LATE_MS, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([settled, late]);
  } finally {
    waiting.abort();
  }
}
