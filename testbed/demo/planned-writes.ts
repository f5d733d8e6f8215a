import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';

/** How many manager files a run wrote, and which of them differ from every step of its plan. */
export interface PlannedWrites {
  readonly files: number;
  readonly unplanned: readonly string[];
}

/** Compares what a run wrote on nodes, by its own evidence, with what its plan showed: content by content. */
export async function plannedWrites(
  plan: MigrationPlan,
  run: { readonly workflowId: string; readonly runId: string },
  evidenceDir: string,
): Promise<PlannedWrites> {
  return compareWrites(plan, await createFileEvidenceStore(evidenceDir).read(run));
}

/** Backups and successors are intermediate copies of these. */
const MANAGER_FILE = /:\/etc\/kubernetes\/(manifests|ccm-migrate)\/[^/]+\.yaml$/;

export function compareWrites(
  plan: Pick<MigrationPlan, 'steps'>,
  records: readonly EvidenceRecord[],
): PlannedWrites {
  const planned = new Set(
    plan.steps.flatMap(({ changes }) => changes.map(({ subject, after }) => `${subject} ${after}`)),
  );
  const written = records
    .flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []))
    .filter(({ verb, object }) => verb === 'writeFile' && MANAGER_FILE.test(object));
  const unplanned = written
    .filter(({ object, after }) => !planned.has(`${object} ${after}`))
    .map(({ object }) => object);
  return { files: written.length, unplanned };
}
