import { makeFinding } from '../../domain/findings/catalogue.js';
import type { ActivityDependencies } from '../dependencies.js';
import type { FenceRecord } from '../fence/fence-record.js';
import { needsGuard } from './fence-watch.js';

/** Told of each observation that a guard completed, with the fence as it was read then. */
export interface GapLog {
  /** `afterFailure`: one before it failed. That has been logged, so it is not called late as well. */
  observed(fence: FenceRecord | null, afterFailure: boolean): void;
}

/** A step may write meanwhile, so what it breaks is seen so much later. */
const LATE_MS = 2_000;

/** How many intervals a guard with a longer one may take. */
const LATE_PACES = 2;

/**
 * Measures the time between two observations of a guard while writes may come, and logs when it is too long: a worker with
 * too much to do shows it here long before a step finds its fence unguarded. An observation that follows a rest is not
 * measured, and one spell of lateness is logged once. `paceMs` is the pause between two observations.
 */
export function openGapLog(
  { clock, log, recordGuardGap }: Pick<ActivityDependencies, 'clock' | 'log' | 'recordGuardGap'>,
  cluster: string,
  paceMs: number,
): GapLog {
  const lateMs = Math.max(LATE_MS, LATE_PACES * paceMs);
  let last: { readonly atMs: number; readonly active: boolean } | null = null;
  let isLate = false;
  const measured = (gapMs: number, afterFailure: boolean): void => {
    recordGuardGap?.(gapMs);
    const wasLate = isLate;
    isLate = gapMs > lateMs;
    if (!isLate || wasLate || afterFailure) return;
    const seen = `${(gapMs / 1000).toFixed(1)} s between two observations`;
    const { code, fix } = makeFinding('CCM4033', { subject: `cluster ${cluster}`, seen });
    log.warn('the guard observes late', { code, cluster, seen, fix });
  };
  return {
    observed: (fence, afterFailure) => {
      const atMs = clock.nowMs();
      if (last?.active === true) measured(atMs - last.atMs, afterFailure);
      last = { atMs, active: fence !== null && needsGuard(fence) };
    },
  };
}
