import type { FailureType } from '../../domain/failures.js';
import type { RunContext } from '../contract.js';
import type { FenceRecord } from './fence-record.js';
import { breachLines, renewalLimitMs } from './fence-record.js';

/** Whether the fence lets a run write now; otherwise the failure and its remedy. */
export type FenceVerdict =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly type: FailureType; readonly message: string };

/** What a run presents to the fence: its epoch, and the finding codes that its step cures. */
export interface Claim extends RunContext {
  readonly epoch: number;
  readonly cures: readonly string[];
}

/**
 * Judges one reading of the fence. Both times are the API server's, so our clock does not matter. Ownership is checked first,
 * then whether this run's guard has confirmed this epoch (`Unguarded`: it may still do so), then its findings: a breach stops
 * every write except those of a step that cures exactly this breach.
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
      `epoch ${String(claim.epoch)} of this step is over: the fence is at epoch ${String(fence.epoch)}`,
    );
  }
  return judgeGuard(claim, fence, serverTimeMs) ?? judgeBreach(claim, fence);
}

const NO_GUARD = 'Check that guard workers serve this region and have a free slot for this cluster';

/** Whether the guard has confirmed this epoch recently; null when it has. */
function judgeGuard(
  claim: Claim,
  { guardedEpoch, epoch, renewedAtMs, mode }: FenceRecord,
  serverTimeMs: number,
): FenceVerdict | null {
  if (guardedEpoch !== epoch) {
    return closed(
      'Unguarded',
      `no guard has confirmed epoch ${String(epoch)} of this run. ${NO_GUARD}`,
    );
  }
  const age = renewedAtMs === null ? Infinity : serverTimeMs - renewedAtMs;
  if (age <= renewalLimitMs(claim, mode)) return null;
  const seconds = String(Math.round(age / 1000));
  return closed(
    'Unguarded',
    `the fence was last renewed ${seconds} s ago: its guard is not running. ${NO_GUARD}`,
  );
}

function judgeBreach(claim: Claim, fence: FenceRecord): FenceVerdict {
  const known = [...claim.cures, ...fence.acknowledged];
  const open = breachLines(fence.breach).filter(({ code }) => !known.includes(code));
  if (open.length === 0) return { kind: 'open' };
  const seen = open.map(({ code, detail }) => `${code} ${detail}`).join('; ');
  return closed('Breach', `the guard found a breach: ${seen}`);
}

function lostTo(fence: FenceRecord): string {
  return fence.runId === ''
    ? 'the fence was released; take it again before writing'
    : `${holderOf(fence)} holds the fence now`;
}

/** Describes the holder of the fence for people. */
export function holderOf(fence: FenceRecord): string {
  return `run ${fence.runId} of ${fence.workflowId || 'an unnamed workflow'} (${fence.actor || 'unknown actor'})`;
}

function closed(type: FailureType, message: string): FenceVerdict {
  return { kind: 'closed', type, message };
}
