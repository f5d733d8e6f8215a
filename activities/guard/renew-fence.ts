import type { RunContext } from '../contract.js';
import type { FenceRecord } from '../fence/fence-record.js';
import { FENCE, fenceNotes, leaseTime, renewalLimitMs } from '../fence/fence-record.js';
import { failureTypeOf } from '../failures.js';
import type { KubernetesApi } from '../ports.js';

/** Input from one observation for the renewal of the fence. */
export interface Renewal {
  /** The API server's clock at the observation, epoch ms. */
  readonly serverTimeMs: number;
  readonly breach: { readonly changed: boolean; readonly text: string };
  /** First round of this attempt of the guard: a step waiting for it must not wait for another interval. */
  readonly isFirst: boolean;
}

/**
 * Renews the fence when its interval has passed; at once when the breaches changed, in an unconfirmed epoch, and in the first
 * round. It records the epoch that it read: only that opens the fence. Times are the API server's. A conflict means that a
 * step or a take-over wrote at the same moment; the next round observes again.
 */
export async function renewFence(
  api: KubernetesApi,
  context: Pick<RunContext, 'timings'>,
  fence: FenceRecord,
  renewal: Renewal,
): Promise<boolean> {
  const { serverTimeMs, breach } = renewal;
  if (!isDue(context, fence, renewal)) return false;
  const noted = breach.changed ? { breach: breach.text } : {};
  const patch = {
    metadata: {
      // The guard must not open what it has not read: any write in between makes this a conflict.
      resourceVersion: fence.resourceVersion,
      annotations: fenceNotes({ guardedEpoch: String(fence.epoch), ...noted }),
    },
    spec: {
      renewTime: leaseTime(serverTimeMs),
      leaseDurationSeconds: Math.ceil(renewalLimitMs(context, fence.mode) / 1000),
    },
  };
  try {
    await api.mergePatch(FENCE, patch, { timeoutMs: context.timings.requestMs });
    return true;
  } catch (error) {
    if (failureTypeOf(error) === 'Conflict') return false;
    throw error;
  }
}

function isDue(
  context: Pick<RunContext, 'timings'>,
  { guardedEpoch, epoch, mode, renewedAtMs }: FenceRecord,
  { serverTimeMs, breach, isFirst }: Renewal,
): boolean {
  if (isFirst || breach.changed || guardedEpoch !== epoch || renewedAtMs === null) return true;
  const { guardMs, guardIdleMs } = context.timings;
  // A slightly early round must not leave the renewal to a late one.
  const earlyMs = (mode === 'idle' ? guardIdleMs : guardMs) / 2;
  return serverTimeMs - renewedAtMs + earlyMs >= renewalLimitMs(context, mode) / 3;
}
