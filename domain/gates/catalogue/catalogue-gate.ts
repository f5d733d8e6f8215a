import type { Manager } from '../../vocabulary.js';

/** A series of a manager's `/metrics`. */
export interface MetricSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Minors of Kubernetes 1 in which something is served; `to` null: still in the newest one that was read. */
export interface MinorRange {
  readonly from: number;
  readonly to: number | null;
}

/** What a gate counts or reads. Counted events are Bernoulli: each was bad or was not. */
export type GateMeasure =
  /** `total` counts each event; where `badInTotal` is false it counts only those that were not bad. */
  | {
      readonly kind: 'ratio';
      readonly bad: MetricSeries;
      readonly total: MetricSeries;
      readonly badInTotal: boolean;
      /** The most that is good whatever was usual, as a share of events. */
      readonly limit: number;
    }
  /**
   * Events above a bucket edge that exists. Where failed calls are observed too, and fail fast, it counts only beside the gate of
   * their errors; `beside` null: only what succeeded is observed.
   */
  | {
      readonly kind: 'slow';
      readonly histogram: MetricSeries;
      readonly edgeSeconds: number;
      readonly beside: string | null;
      readonly limit: number;
    }
  /**
   * How long something has been unfinished by now; one fresh sample decides. Where the gauge adds up all that is being worked on, it
   * only raises a suspicion, on which the gate of the longest piece decides (`decidedBy`); null: it is of one piece.
   */
  | {
      readonly kind: 'stuck';
      readonly gauge: MetricSeries;
      readonly limitSeconds: number;
      readonly decidedBy: string | null;
    }
  /** Work that waits; it is harm only where it does not fall after the first full resync. */
  | { readonly kind: 'backlog'; readonly gauge: MetricSeries };

/** In whose `/metrics` the series are, by the minor of the KCM or of the CCM's k8s.io/cloud-provider library. */
export interface ServedBy {
  readonly manager: Manager;
  readonly minors: MinorRange;
  /** In-tree providers that serve it; null for every one. */
  readonly provider: string | null;
}

export interface CatalogueGate {
  readonly name: string;
  /** What it notices, in words that stand for themselves. */
  readonly about: string;
  readonly measure: GateMeasure;
  /** Whether what a KCM counted says what is usual: not where it counts other work, or where only a CCM counts. */
  readonly comparable: boolean;
  readonly served: readonly ServedBy[];
  /** What it cannot see, for those who read a pass. */
  readonly blind: string;
  /** Where its series were read. */
  readonly source: string;
}
