import type { RunContext } from '../contract.js';
import type { FenceRecord } from '../fence/fence-record.js';
import { FENCE, fenceNotes, leaseTime, renewalLimitMs } from '../fence/fence-record.js';
import { failureTypeOf } from '../failures.js';
import type { KubernetesApi } from '../ports.js';

/**
 * Renews the fence when its interval has passed, at once when the breaches changed. Times are the API server's.
 * A conflict means that a step or a take-over wrote at the same moment; the next round looks again.
 */
export async function renewFence(
  api: KubernetesApi,
  context: RunContext,
  fence: FenceRecord,
  serverTimeMs: number,
  breach: { readonly changed: boolean; readonly text: string },
): Promise<boolean> {
  const interval = renewalLimitMs(context, fence.mode) / 3;
  const age = fence.renewedAtMs === null ? Infinity : serverTimeMs - fence.renewedAtMs;
  // A round that comes a little early must not leave the renewal to one that comes late.
  const due = age + context.timings.guardMs / 2 >= interval;
  if (!due && !breach.changed) return false;
  const patch = {
    metadata: {
      resourceVersion: fence.resourceVersion,
      ...(breach.changed ? { annotations: fenceNotes({ breach: breach.text }) } : {}),
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
