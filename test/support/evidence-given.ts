import type { EvidenceIntent, EvidenceOutcome } from '../../domain/evidence/record.js';

export const EVIDENCE_RUN = { workflowId: 'cluster-migration/1234', runId: 'run-1' };

export const APPLIED: EvidenceOutcome = {
  ...{ kind: 'applied', at: '2026-11-21T10:00:01.000Z', detail: '' },
};

/** An intent of `EVIDENCE_RUN`. */
export function evidenceIntent(id: string, over: Partial<EvidenceIntent> = {}): EvidenceIntent {
  return {
    ...EVIDENCE_RUN,
    id,
    cluster: 'alpha',
    epoch: 3,
    step: 'grantLeaseAccess',
    actor: 'ana',
    reason: 'CHG-1 naïve',
    planDigest: 'sha256:00',
    at: '2026-11-21T10:00:00.000Z',
    verb: 'create',
    object: 'Role kube-system/ccm-migrate-leader-migration',
    before: '',
    after: 'sha256:11',
    proof: '',
    ...over,
  };
}

/** Ids of workflows: some differ only in what file names cannot hold. */
export const ODD_IDS: readonly string[] = [
  ...['a/b', 'a%2Fb', "a'b", 'a(b', '..', '.', ''],
  ...['x'.repeat(300), `${'x'.repeat(300)}y`],
];
