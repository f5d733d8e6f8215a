import { failureTypeOf } from '../failures.js';
import type { KubernetesApi } from '../ports.js';
import type { FenceMode, FenceRecord } from './fence-record.js';
import { FENCE, fenceNotes } from './fence-record.js';
import type { Claim } from './fence-verdict.js';
import { listFence } from './read-fence.js';

/**
 * Notes in the fence how often it needs to be renewed. Only a hint to the guard: when it gets lost, the fence is
 * renewed more often than needed, or writes are refused until the guard has seen the next hint.
 */
export async function setFenceMode(
  api: KubernetesApi,
  claim: Pick<Claim, 'timings'>,
  fence: FenceRecord,
  mode: FenceMode,
): Promise<void> {
  await patchMode(api, claim, fence, fenceNotes({ mode }));
}

/**
 * Wakes a fence that rests, and closes it: what its guard saw while it rested may be half a minute old. Every renewal
 * rests on a reading of the fence (its resourceVersion is the precondition), so the next one that comes through is of a
 * guard that has seen this. True when it is done; false when the guard wrote at the same moment.
 */
export function wakeFence(
  api: KubernetesApi,
  claim: Pick<Claim, 'timings'>,
  fence: FenceRecord,
): Promise<boolean> {
  const closed = { 'ccm-migrate.dev/guardedEpoch': null };
  return patchMode(api, claim, fence, { ...fenceNotes({ mode: 'active' }), ...closed });
}

const ATTEMPTS = 8;

/** Lets the fence rest if it is this run's and this epoch's; any other one is left alone. */
export async function restFenceOf(
  api: KubernetesApi,
  claim: Pick<Claim, 'timings' | 'runId' | 'epoch'>,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { fence } = await listFence(api, { timeoutMs: claim.timings.requestMs });
    if (fence?.runId !== claim.runId || fence.epoch !== claim.epoch) return;
    if (fence.mode === 'idle') return;
    if (await patchMode(api, claim, fence, fenceNotes({ mode: 'idle' }))) return;
  }
}

async function patchMode(
  api: KubernetesApi,
  { timings }: Pick<Claim, 'timings'>,
  { resourceVersion }: FenceRecord,
  annotations: Readonly<Record<string, string | null>>,
): Promise<boolean> {
  try {
    const patch = { metadata: { resourceVersion, annotations } };
    await api.mergePatch(FENCE, patch, { timeoutMs: timings.requestMs });
    return true;
  } catch (error) {
    if (failureTypeOf(error) !== 'Conflict') throw error;
    return false;
  }
}
