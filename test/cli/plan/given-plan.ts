import type { MigrationPlan } from '../../../config/outputs/migration-plan.js';
import { planDigest } from '../../../domain/observation/plan-digest.js';
import { toolVersion } from '../../../cli/tool-version.js';
import { policyOf } from '../../support/cluster-builder.js';

/** The defaults of the configuration. */
export const TIMINGS: MigrationPlan['timings'] = {
  ...{ requestMs: 10_000, effectMs: 120_000, electionMs: 90_000, pollMs: 250 },
  ...{ fenceRenewMs: 5_000, fenceRenewIdleMs: 30_000, guardMs: 1_000 },
  ...{ guardIdleMs: 10_000, guardWaitMs: 30_000, settleMs: 30_000 },
  ...{ awaitChangeMs: 300_000, stepTimeoutMs: 900_000, heartbeatMs: 10_000 },
};

/** A plan as `plan --out` writes it, changed before its digest is computed, so that the digest matches any content. */
export async function planText(changes: Record<string, unknown> = {}): Promise<string> {
  const content = {
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'MigrationPlan', createdAt: '2026-11-22' },
    ...{ tool: await toolVersion(), fleet: 'home', inventoryFile: 'fleet/inventory.yaml' },
    cluster: { name: 'prod-1', uid: 'uid-1', region: 'default' },
    target: 'ccm' as const,
    policy: policyOf() as object,
    timings: TIMINGS as object,
    materials: { ccmManifest: 'kind: Pod' },
    ...{
      observation: {},
      observationDigest: `sha256:${'0'.repeat(64)}`,
      findings: [],
      steps: [],
      notChecked: [],
    },
    ending: { kind: 'done', findings: [] },
    ...changes,
  };
  return JSON.stringify({ digest: planDigest(content), ...content }, null, 2);
}
