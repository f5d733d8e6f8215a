import type { ListsThenAndNow, ObjectList } from '../domain/comparison/compared-object.js';
import type { Inventory } from '../domain/observation/observation.js';
import type { ObserveInput, RunContext } from './contract.js';
import type { EvidenceStore } from './evidence/evidence-store.js';
import type { CollectedSnapshot } from './observe/collect-snapshot.js';
import { objectListText } from './observe/object-list.js';
import { withCloud } from './observe/with-cloud.js';
import type { CloudLists } from './ports.js';

/**
 * Keeps the list of the run's first observation beside its evidence; the history has its digest. Each attempt keeps its own, so
 * that the list is there whichever of them the history takes. Returns the observation with what the cloud itself lists.
 */
export async function keepStartList(
  { evidence, cloud }: { evidence: Pick<EvidenceStore, 'keepText'>; cloud: CloudLists | undefined },
  input: Pick<ObserveInput, 'decide' | 'workflowId' | 'runId' | 'timings'>,
  snapshot: CollectedSnapshot,
  signal: AbortSignal,
): Promise<CollectedSnapshot> {
  if (input.decide.since !== null) return snapshot;
  const { requestMs: timeoutMs } = input.timings;
  const listed = await withCloud(cloud, snapshot, { signal, timeoutMs });
  const { objects } = listed.cached;
  if (objects !== null) await evidence.keepText(input, objectListText(objects));
  return listed;
}

/** The list of the start beside that of now; null when either is not known. */
export async function listsSince(
  evidence: Pick<EvidenceStore, 'keptText'>,
  run: Pick<RunContext, 'workflowId' | 'runId'>,
  { objectsDigest }: Inventory,
  now: ObjectList | null,
): Promise<ListsThenAndNow | null> {
  if (objectsDigest === undefined || now === null) return null;
  const text = await evidence.keptText(run, objectsDigest);
  if (text === null) return null;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the digest proves that this product wrote it
  return { then: JSON.parse(text) as ObjectList, now };
}
