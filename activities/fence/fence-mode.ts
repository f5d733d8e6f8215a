import { failureTypeOf } from '../failures.js';
import type { KubernetesApi } from '../ports.js';
import type { FenceMode, FenceRecord } from './fence-record.js';
import { FENCE, fenceNotes } from './fence-record.js';
import type { Claim } from './fence-verdict.js';
import { listFence } from './read-fence.js';

/**
 * Records in the fence how often it needs to be renewed. Only a hint to the guard: when it is lost, the fence is renewed more
 * often than needed, or writes are refused until the guard has read the next hint.
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
 * Wakes an idle fence and closes it: what its guard observed while idle may be half a minute old. Every renewal is
 * conditional on a reading of the fence (its resourceVersion), so the next successful one comes from a guard that has read
 * this change. True when done; false when the guard wrote at the same moment.
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

/** Makes the fence idle if it belongs to this run and epoch; any other one is left alone. */
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
