import type { CloudController } from './vocabulary.js';

/** Ownership of one controller as it was seen so far. Plain JSON: a guard keeps it in heartbeats over its restarts. */
export interface ControllerTrace {
  readonly controller: CloudController;
  /** Keys like `kcm:cp-1#812` at the last look; null when it could not be read. */
  readonly owners: readonly string[] | null;
  /** Who took itself for the owner at the last look while another one was; null before the first look. */
  readonly believers: readonly string[] | null;
  /** The last single owner, to count moves over gaps. */
  readonly lastOwner: string;
  readonly overlapMs: number;
  readonly orphanMs: number;
  /** Length of the present time without an owner; 0 while there is one. */
  readonly orphanNowMs: number;
  /** Time that nobody can speak for. */
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
  /** Nobody can speak for these: who owned it could not be read. */
  readonly unknownSeconds: number;
  /** How often the one owner was another one than before. */
  readonly moves: number;
}
