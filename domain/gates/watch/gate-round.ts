import type { Serving } from '../catalogue/gate-catalogue.js';
import type { Measurement } from '../samples/measurement.js';
import type { ProcessScrape } from '../samples/process-scrape.js';

/** One manager's metrics page in a round, with what that manager is. */
export interface PlaceReading {
  /** `kcm on cp-1`. */
  readonly place: string;
  readonly serving: Serving;
  /** Whether its process runs the migrated cloud controllers now. */
  readonly owns: boolean;
  readonly scrape: Measurement<ProcessScrape>;
}

/** Every running manager of a cluster, read at about one moment. */
export interface GateRound {
  /** The worker's clock, epoch ms; the time of every scrape of the round. */
  readonly atMs: number;
  /** What ran and who owned: where it differs from the round before, a step of ours or a failure lies between. */
  readonly setup: string;
  readonly places: readonly PlaceReading[];
}
