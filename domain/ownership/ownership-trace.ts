import type { CloudController } from '../vocabulary.js';

/** Ownership of one controller as observed so far. Plain JSON: a guard keeps it in heartbeats across its restarts. */
export interface ControllerTrace {
  readonly controller: CloudController;
  /** Keys like `kcm:cp-1#812` at the last observation; null when it could not be read. */
  readonly owners: readonly string[] | null;
  /** Stale owners at the last observation; null before the first observation. */
  readonly staleOwners: readonly string[] | null;
  /** The last single owner, to count moves over gaps. */
  readonly lastOwner: string;
  readonly overlapMs: number;
  readonly orphanMs: number;
  /** Length of the current time without an owner; 0 while there is one. */
  readonly orphanNowMs: number;
  /** Time in which the owner is unknown. */
  readonly unknownMs: number;
  readonly moves: number;
}

export interface OwnershipTrace {
  readonly atMs: number;
  readonly controllers: readonly ControllerTrace[];
}

/** Worst controller's figures. Unknown is not healthy, so it is not hidden in the other two. */
export interface OwnershipFigures {
  readonly overlapSeconds: number;
  readonly orphanSeconds: number;
  /** Time in which the owner is unknown because it could not be read. */
  readonly unknownSeconds: number;
  /** How often the single owner changed. */
  readonly moves: number;
}
