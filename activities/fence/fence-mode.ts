import { failureTypeOf } from '../failures.js';
import type { KubernetesApi } from '../ports.js';
import type { FenceMode, FenceRecord } from './fence-record.js';
import { FENCE, fenceNotes } from './fence-record.js';
import type { Claim } from './fence-verdict.js';

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
  const { resourceVersion } = fence;
  const patch = { metadata: { resourceVersion, annotations: fenceNotes({ mode }) } };
  try {
    await api.mergePatch(FENCE, patch, { timeoutMs: claim.timings.requestMs });
  } catch (error) {
    if (failureTypeOf(error) !== 'Conflict') throw error;
  }
}
