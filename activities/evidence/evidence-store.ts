import type { ChainHead } from '../../domain/evidence/chain.js';
import type {
  EvidenceAuthority,
  EvidenceIntent,
  EvidenceOutcome,
  EvidenceRecord,
} from '../../domain/evidence/record.js';

/** Which run's chain. Both come from Temporal. */
export interface RunKey {
  readonly workflowId: string;
  readonly runId: string;
}

/**
 * Stores evidence of mutations, durably and in order. Several processes may write one run's chain. A chain
 * that does not verify is never appended to: `PreconditionFailed`. Nor is one that has lost what this store had seen of it:
 * `EvidenceLost`.
 */
export interface EvidenceStore {
  /** Id of the key that signs what it records; empty where none does. */
  readonly keyId: string;
  /**
   * Records what is about to be done; on stable storage when it returns, so call it *before* the mutation. Repeating the same
   * intent (same id and content) changes nothing; another one under the same id is a `Bug`.
   */
  begin(intent: EvidenceIntent): Promise<void>;
  /**
   * Records the outcome. An intent has one outcome: a second one changes nothing. `EvidenceLost` where one that this store began
   * has one that its key did not sign: it must not stand for what this worker saw.
   */
  finish(run: RunKey, intentId: string, outcome: EvidenceOutcome): Promise<void>;
  /** Records what was allowed or refused to whom. Repeating it, at whatever time, changes nothing. */
  recordAuthority(authority: EvidenceAuthority): Promise<void>;
  /** Records that say that a statement was accepted for this run: its start, and commands to it. Who wrote them, only a signature says. */
  acceptances(run: RunKey): Promise<readonly EvidenceRecord[]>;
  /** Intents without outcome, oldest first: their effect must be looked for before the next mutation. */
  openIntents(run: RunKey): Promise<readonly EvidenceIntent[]>;
  /** Length and last hash, for the run's history. */
  head(run: RunKey): Promise<ChainHead>;
  /**
   * Proves that the chain still begins as the run's history knows it. `EvidenceLost` when records are gone, were replaced, or
   * are in another store. Records after it are well: an attempt that was interrupted left them.
   */
  requireContinued(run: RunKey, known: ChainHead): Promise<void>;
  /** All records, oldest first; empty for an unknown run. */
  read(run: RunKey): Promise<readonly EvidenceRecord[]>;
  /**
   * Keeps a text beside the chain, by its digest (`sha256:<hex>`): what is too large for a history that carries the digest. On
   * stable storage when it returns; keeping the same text again changes nothing. `PreconditionFailed` where one that was changed
   * is in its place, and the store may not replace it.
   */
  keepText(run: RunKey, text: string): Promise<void>;
  /** The text with this digest; null when it is not there, or is no longer what the digest says. */
  keptText(run: RunKey, digest: string): Promise<string | null>;
}
