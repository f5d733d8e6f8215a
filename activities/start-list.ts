import type { ListsThenAndNow, ObjectList } from '../domain/comparison/compared-object.js';
import type { Inventory } from '../domain/observation/observation.js';
import type { ObserveInput, RunContext } from './contract.js';
import type { EvidenceStore } from './evidence/evidence-store.js';
import type { CollectedSnapshot } from './observe/collect-snapshot.js';
import { objectListText } from './observe/object-list.js';

/**
 * Keeps the list of the run's first observation beside its evidence; the history has its digest. Each attempt keeps its own, so
 * that the list is there whichever of them the history takes.
 */
export async function keepStartList(
  evidence: Pick<EvidenceStore, 'keepText'>,
  input: Pick<ObserveInput, 'decide' | 'workflowId' | 'runId'>,
  { cached: { objects } }: Pick<CollectedSnapshot, 'cached'>,
): Promise<void> {
  if (input.decide.since !== null || objects === null) return;
  await evidence.keepText(input, objectListText(objects));
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
