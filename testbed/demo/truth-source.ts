export type CloudLoop = 'service' | 'route' | 'cloud-node-lifecycle';
export const CLOUD_LOOPS: readonly CloudLoop[] = ['service', 'route', 'cloud-node-lifecycle'];

/**
 * What really ran, from sources that do not know what the product believes. Times in ms of the environment's own clock.
 */
export interface ControllerTruth {
  readonly overlapSeconds: number;
  readonly orphanSeconds: number;
  readonly moves: number;
  readonly intervals: readonly {
    readonly fromMs: number;
    readonly toMs: number | null;
    readonly owners: readonly string[];
  }[];
  readonly orphans: readonly {
    readonly fromMs: number;
    readonly toMs: number | null;
    readonly seconds: number;
  }[];
}

export interface Truth {
  readonly nowMs: number;
  readonly controllers: Readonly<Record<CloudLoop, ControllerTruth>>;
  readonly cloudCalls: number;
}

/** Where several sources had to be joined: which ones, and what they cannot explain together. */
export interface JoinedSources {
  readonly contradictions: readonly string[];
  /** The amount of data from each source, for people. */
  readonly told: string;
}

export interface JournalEntry {
  readonly index: number;
  readonly user: string;
  readonly userAgent: string;
  readonly path: string;
  readonly mutating: boolean;
}

/** The ground truth about a cluster, with which the product's report is compared. */
export interface TruthSource {
  /** For claims: `the simulator`, `the lab`. */
  readonly name: string;
  truth(): Promise<Truth>;
  /** Null where there is one source, which cannot contradict itself. */
  sources(): Promise<JoinedSources | null>;
  /** Requests that reached the cluster, from an index on. */
  journal(since: number): Promise<readonly JournalEntry[]>;
  /** Whether the journal also contains the requests to nodes and to the machines API. */
  readonly journalsNodes: boolean;
}
