import type { Truth } from '../base/truth/truth.js';

/** Where several sources had to be joined: which ones, and what they cannot explain together. */
export interface JoinedSources {
  readonly contradictions: readonly string[];
  /** The amount of data from each source, for people. */
  readonly told: string;
}

export interface JournaledRequest {
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
  journal(since: number): Promise<readonly JournaledRequest[]>;
  /** Whether the journal also contains the requests to nodes and to the machines API. */
  readonly journalsNodes: boolean;
}
