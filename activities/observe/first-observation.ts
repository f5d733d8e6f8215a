import type { LeaseFirstSeen } from '../../domain/run/results.js';
import type { ObserveInput } from '../contract.js';
import type { ActivityClock, ActivityScope } from '../dependencies.js';
import type { FenceRecord } from '../fence/fence-record.js';
import type { ClusterPorts } from '../ports.js';
import type { CachedReads } from './cached-reads.js';
import { type CollectedSnapshot, observeSettled } from './collect-snapshot.js';

/** What the check of a start leaves to the first observation of its run. */
export interface StartSighting {
  readonly cached: CachedReads;
  readonly firstSeen: readonly LeaseFirstSeen[];
  readonly fence: FenceRecord | null;
  readonly atMs: number;
}

export function sightingOf({
  cached,
  firstSeen,
  fence,
  observation: { observedAtMs },
}: CollectedSnapshot): StartSighting {
  return { cached, firstSeen, fence, atMs: observedAtMs };
}

/** A run takes its fence within seconds of its check. */
const LONGEST_MS = 60_000;

/**
 * A settled observation. Right after the check of a start it re-reads everything volatile, and takes over what that check has read
 * of the rest if the fence proves that no run could write in between: it was free then, and this run took it next.
 */
export async function observeFirst(
  ports: ClusterPorts,
  clock: ActivityClock,
  scope: ActivityScope,
  { start, ...input }: ObserveInput & { readonly start: StartSighting | null },
): Promise<CollectedSnapshot> {
  if (start !== null && clock.nowMs() - start.atMs <= LONGEST_MS) {
    const { firstSeen, cached } = start;
    const seen = await observeSettled(ports, clock, scope, { ...input, firstSeen }, cached);
    if (isNextRun(start.fence, seen.fence, input)) return seen;
  }
  return observeSettled(ports, clock, scope, input);
}

/** Every run that takes the fence raises its epoch. */
function isNextRun(
  before: FenceRecord | null,
  now: FenceRecord | null,
  { runId }: Pick<ObserveInput, 'runId'>,
): boolean {
  const wasFree = before === null || before.runId === '';
  return wasFree && now?.runId === runId && now.epoch === (before?.epoch ?? 0) + 1;
}
