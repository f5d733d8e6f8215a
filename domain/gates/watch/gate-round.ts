import type { Serving } from '../catalogue/gate-catalogue.js';
import type { Measurement } from '../samples/measurement.js';
import type { ProcessScrape } from '../samples/process-scrape.js';

/** One manager's metrics page in a round, with what that manager is. */
export interface PlaceReading {
  readonly node: string;
  /** `kcm on cp-1`. */
  readonly place: string;
  /** Null where it is not known what runs there. */
  readonly serving: Serving | null;
  /** Whether its process runs the migrated cloud controllers now. */
  readonly owns: boolean;
  readonly scrape: Measurement<ProcessScrape>;
}

/** Every running manager of a cluster, read at about one moment. */
export interface GateRound {
  /** The worker's clock, epoch ms; the time of every scrape of the round. */
  readonly atMs: number;
  /**
   * What ran and who owned: where it differs from the round before, a step of ours or a failure lies between. Null while a node
   * hides what it runs: nothing is known to have changed.
   */
  readonly setup: string | null;
  readonly places: readonly PlaceReading[];
  readonly unseen: readonly UnseenNode[];
}

/** A node of which nothing could be read, so that it is not among the places of a round. */
export interface UnseenNode {
  readonly node: string;
  /** Its machine is being added: nothing need run there yet. */
  readonly isNew: boolean;
}
