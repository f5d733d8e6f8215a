import type { RunContext } from '../contract.js';
import type { EvidenceStore } from './evidence-store.js';

/**
 * Before an activity writes: its worker must have the evidence that the run's history knows of. @throws `EvidenceLost` where
 * the file was deleted or replaced, or where this worker keeps its evidence elsewhere.
 */
export async function requireEvidence(
  store: EvidenceStore,
  run: Pick<RunContext, 'workflowId' | 'runId' | 'evidence'>,
): Promise<void> {
  const { evidence } = run;
  if (evidence !== undefined) await store.requireContinued(run, evidence);
}
