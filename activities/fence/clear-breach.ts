import { hardGates } from '../../domain/hard-gates.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { ActivityClock } from '../dependencies.js';
import { failureTypeOf } from '../failures.js';
import type { KubernetesApi } from '../ports.js';
import { breachLines, type FenceRecord } from './fence-record.js';
import type { Claim } from './fence-verdict.js';
import { judgeFence } from './fence-verdict.js';
import { requireFence, throwIfClosed } from './read-fence.js';

/** The fence as a look saw it, with the cluster of the same look. */
export interface SeenWithFence {
  readonly fence: FenceRecord | null;
  readonly serverTimeMs: number;
  readonly observation: ClusterObservation;
}

/** Looks of the guard that a breach is given to be seen cured. */
const GUARD_LOOKS = 3;

/**
 * Passes where the fence is open. A breach that the step before has just cured stands in it until the guard looks again:
 * where our own look shows none of it any more, that look is awaited. Only the guard takes a breach out of the fence.
 * Says whether it waited, so that the caller looks anew.
 */
export async function passFence(
  api: KubernetesApi,
  clock: ActivityClock,
  claim: Claim,
  seen: SeenWithFence,
): Promise<boolean> {
  const verdict = judgeFence(claim, seen.fence, seen.serverTimeMs);
  if (verdict.kind === 'open') return false;
  if (verdict.type !== 'Breach' || isStillSeen(claim, seen)) throwIfClosed(verdict);
  const { guardMs, pollMs, requestMs } = claim.timings;
  const deadline = clock.nowMs() + GUARD_LOOKS * guardMs;
  for (;;) {
    await clock.sleep(pollMs);
    try {
      await requireFence(api, claim, { timeoutMs: requestMs });
      return true;
    } catch (error) {
      if (failureTypeOf(error) !== 'Breach' || clock.nowMs() >= deadline) throw error;
    }
  }
}

function isStillSeen({ policy, timings }: Claim, { fence, observation }: SeenWithFence): boolean {
  const noted = breachLines(fence?.breach ?? '').map(({ code }) => code);
  return hardGates(observation, {
    controllers: policy.lock.controllers,
    orphanMs: 0,
    orphanBudgetMs: timings.orphanBudgetMs,
    inventory: null,
  }).some(({ verdict, code }) => verdict !== 'pass' && noted.includes(code));
}
