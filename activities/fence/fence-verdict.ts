import type { FailureType } from '../../domain/failures.js';
import type { RunContext } from '../contract.js';
import type { FenceRecord } from './fence-record.js';
import { breachLines, renewalLimitMs } from './fence-record.js';

/** Whether the fence lets a run write now; otherwise the failure and what to do about it. */
export type FenceVerdict =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly type: FailureType; readonly message: string };

/** A run as it stands before the fence: its epoch, and the finding codes that its step cures. */
export interface Claim extends RunContext {
  readonly epoch: number;
  readonly cures: readonly string[];
}

/**
 * Judges one reading of the fence. Times are both of the API server, so no clock of ours is in it.
 * Whose it is comes first, then whether this run's guard has seen this epoch (`Unguarded`: it may yet come), then what
 * it saw: a breach stops every write but those of a step that cures exactly this breach.
 */
export function judgeFence(
  claim: Claim,
  fence: FenceRecord | null,
  serverTimeMs: number,
): FenceVerdict {
  if (fence === null) return closed('FenceLost', 'the fence Lease kube-system/ccm-migrate is gone');
  if (fence.runId !== claim.runId) return closed('FenceLost', lostTo(fence));
  if (fence.epoch !== claim.epoch) {
    return closed(
      'FenceLost',
      `epoch ${String(claim.epoch)} of this step is over: the fence stands at ${String(fence.epoch)}`,
    );
  }
  return judgeGuard(claim, fence, serverTimeMs) ?? judgeBreach(claim, fence);
}

const NO_GUARD = 'See that guard workers serve this region and have a slot for this cluster';

/** Whether the guard has seen this very epoch, and lately; null when it has. */
function judgeGuard(
  claim: Claim,
  { guardedEpoch, epoch, renewedAtMs, mode }: FenceRecord,
  serverTimeMs: number,
): FenceVerdict | null {
  if (guardedEpoch !== epoch) {
    return closed('Unguarded', `no guard has seen epoch ${String(epoch)} of this run. ${NO_GUARD}`);
  }
  const age = renewedAtMs === null ? Infinity : serverTimeMs - renewedAtMs;
  if (age <= renewalLimitMs(claim, mode)) return null;
  const seconds = String(Math.round(age / 1000));
  return closed(
    'Unguarded',
    `the fence was last renewed ${seconds} s ago: its guard does not run. ${NO_GUARD}`,
  );
}

function judgeBreach(claim: Claim, fence: FenceRecord): FenceVerdict {
  const known = [...claim.cures, ...fence.acknowledged];
  const open = breachLines(fence.breach).filter(({ code }) => !known.includes(code));
  if (open.length === 0) return { kind: 'open' };
  const seen = open.map(({ code, detail }) => `${code} ${detail}`).join('; ');
  return closed('Breach', `the guard saw a breach: ${seen}`);
}

function lostTo(fence: FenceRecord): string {
  return fence.runId === ''
    ? 'the fence was released; take it again before writing'
    : `${holderOf(fence)} holds the fence now`;
}

/** Who holds the fence, in words for people. */
export function holderOf(fence: FenceRecord): string {
  return `run ${fence.runId} of ${fence.workflowId || 'an unnamed workflow'} (${fence.actor || 'unknown actor'})`;
}

function closed(type: FailureType, message: string): FenceVerdict {
  return { kind: 'closed', type, message };
}
