import { join } from 'node:path';
import { readFile, readdir } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { apiWrites } from '../../cli/audit/api-audit-log.js';
import { exportEnded } from '../../cli/audit/export-ended.js';
import { reconciledRun } from '../../cli/audit/reconciled-run.js';
import { WORKER_USER } from '../../domain/access/worker-role.js';
import { reconcileRequests } from '../../domain/evidence/reconcile-requests.js';
import type { Claim } from './claims.js';

export interface RecordedPlace {
  /** Of the API server; null where it keeps none. */
  readonly auditLog: string | null;
  readonly evidenceDir: string;
  /** For the exports. */
  readonly folder: string;
}

/** Whether each write of the workers that the API server carried out is on record, and each record was carried out. */
export async function writesRecorded(
  client: Client,
  { auditLog, evidenceDir, folder }: RecordedPlace,
): Promise<readonly Claim[]> {
  if (auditLog === null) return [];
  const exports = join(folder, 'exports');
  const evidence = createFileEvidenceStore(evidenceDir);
  await exportEnded(client, { folder: exports, evidence, report: () => undefined });
  const names = (await readdir(exports)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(join(exports, name), 'utf8')));
  const runs = texts.map((text, index) => reconciledRun(names[index] ?? '', text).run);
  const found = reconcileRequests(await apiWrites(auditLog, WORKER_USER), runs);
  const { faults, matched, renewals, refused } = found;
  const told = `${String(matched)} writes on record, ${String(renewals)} of the fence, ${String(refused)} refused`;
  return [
    {
      claim: "each write in the API server's audit log is on record",
      holds: faults.length === 0 && matched > 0,
      seen: [told, ...faults].join('; '),
    },
  ];
}
