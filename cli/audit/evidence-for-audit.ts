import { type OpenEvidence, openEvidence } from '../../activities/evidence/open-evidence.js';
import { evidenceDatabaseIn } from '../../config/environment.js';
import type { EvidenceDatabase } from '../../config/evidence-database.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import { evidenceFolder } from '../runs/connection.js';

/** Where the workers keep evidence: the flag, their database, the note of `dev`, or a named folder. */
export async function evidenceForAudit(cli: Pick<Cli, 'options' | 'env'>): Promise<OpenEvidence> {
  const named = cli.options.text('evidenceDir');
  const evidenceDatabase = named === null ? databaseOf(cli) : null;
  const folder = evidenceDatabase === null ? (named ?? (await evidenceFolder(cli))) : '';
  if (folder === null) {
    throw new UsageError(
      "--evidence-dir is required: the workers' state folder (CCM_MIGRATE_STATE_DIR), unless CCM_MIGRATE_EVIDENCE_DATABASE names their database",
    );
  }
  return openEvidence({ evidenceDatabase, stateDirectory: folder }, 'read');
}

function databaseOf({ env }: Pick<Cli, 'env'>): EvidenceDatabase | null {
  try {
    return evidenceDatabaseIn(env);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
