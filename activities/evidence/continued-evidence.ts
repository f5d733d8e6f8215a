import type { ChainHead } from '../../domain/evidence/chain.js';
import type { RunContext } from '../contract.js';
import type { EvidenceStore } from './evidence-store.js';

type Known = Pick<RunContext, 'workflowId' | 'runId' | 'evidence'>;

/**
 * Before an activity writes: its worker must have the evidence that the run's history knows of. @throws `EvidenceLost` where
 * the file was deleted or replaced, or where this worker keeps its evidence elsewhere.
 */
export async function requireEvidence(
  store: EvidenceStore,
  { workflowId, runId, evidence }: Known,
): Promise<void> {
  if (evidence !== undefined) await store.requireContinued({ workflowId, runId }, evidence);
}

/** For the run's history: what the next activity that writes must find. */
export function evidenceHead(
  store: EvidenceStore,
  { workflowId, runId }: Known,
): Promise<ChainHead> {
  return store.head({ workflowId, runId });
}
