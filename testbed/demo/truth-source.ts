export type CloudLoop = 'service' | 'route' | 'cloud-node-lifecycle';
export const CLOUD_LOOPS: readonly CloudLoop[] = ['service', 'route', 'cloud-node-lifecycle'];

/** What really ran, told by those who do not know what the product believes. Times in ms of the world's own clock. */
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

/** Where several sources had to be joined: what they were, and what they do not explain together. */
export interface JoinedSources {
  readonly contradictions: readonly string[];
  /** How much there was of each, for people. */
  readonly told: string;
}

export interface JournalEntry {
  readonly index: number;
  readonly user: string;
  readonly userAgent: string;
  readonly path: string;
  readonly mutating: boolean;
}

/** The world's own word about a cluster, beside which the product's report is laid. */
export interface TruthSource {
  /** For claims: `the simulator`, `the lab`. */
  readonly name: string;
  truth(): Promise<Truth>;
  /** Null where there is one source, which cannot contradict itself. */
  sources(): Promise<JoinedSources | null>;
  /** Requests that reached the cluster, from an index on. */
  journal(since: number): Promise<readonly JournalEntry[]>;
  /** Whether the journal has the requests to nodes and to the machines API too. */
  readonly journalsNodes: boolean;
}
