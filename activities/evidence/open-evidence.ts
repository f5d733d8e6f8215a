import { type EvidenceDatabase, openEvidenceAccess } from '../../config/evidence-database.js';
import type { EvidenceStore } from './evidence-store.js';
import { createFileEvidenceStore } from './file-evidence-store.js';
import type { EvidenceUse } from './postgres-connections.js';
import { createPostgresEvidenceStore } from './postgres-evidence-store.js';
import type { RecordSigner } from './record-signer.js';

/** Where evidence is kept, as a worker or an auditor is told. */
export interface EvidenceSettings {
  /** Null for files in the folder. */
  readonly evidenceDatabase: EvidenceDatabase | null;
  readonly stateDirectory: string;
}

export interface OpenEvidence {
  readonly store: EvidenceStore;
  /** For people. */
  readonly place: string;
  close(): Promise<void>;
}

/**
 * The evidence of a worker, or of one who only reads it. The database itself is reached with the first request.
 * @throws Error in plain words where a file of the settings is wrong
 */
export async function openEvidence(
  { evidenceDatabase, stateDirectory }: EvidenceSettings,
  use: EvidenceUse,
  signer: RecordSigner | null = null,
): Promise<OpenEvidence> {
  if (evidenceDatabase === null) {
    const store = createFileEvidenceStore(stateDirectory, signer);
    return { store, place: stateDirectory, close: () => Promise.resolve() };
  }
  const store = createPostgresEvidenceStore(
    await openEvidenceAccess(evidenceDatabase),
    use,
    signer,
  );
  return { store, place: store.place, close: () => store.close() };
}
