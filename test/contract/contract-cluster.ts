import type { MachinesOverHttp } from '../../activities/adapters/machines/machines-http.js';
import type { ClusterPorts } from '../../activities/ports.js';

/** A cluster that contract suites run against: simulated or real, with one control-plane node to experiment on. */
export interface ContractCluster {
  readonly ports: ClusterPorts & { readonly machines: MachinesOverHttp | null };
  /** A reachable control-plane node that runs a KCM and no CCM. */
  readonly node: string;
  /** Version and side of a machine that may be ordered. */
  readonly order: { readonly side: 'source' | 'target'; readonly version: string };
  /** How long a machine or an election may take, ms. */
  readonly patienceMs: number;
  close(): Promise<void>;
}

/** The cluster that a connection claims the node belongs to, where it is not the cluster connected to. */
export interface Pretence {
  readonly uid?: string;
  readonly certificateAuthorities?: readonly string[];
}

export interface ContractNode extends ContractCluster {
  /** Stops the node's KCM with SIGSTOP, and lets it go on. */
  pauseKcm(): void;
  resumeKcm(): void;
  /** The same node with the same credentials, as a worker of another cluster reaches it. */
  as(pretence: Pretence): Promise<ClusterPorts & { close(): Promise<void> }>;
}

export type OpenNode = () => Promise<ContractNode>;

export type OpenCluster = () => Promise<ContractCluster>;

/** The failure's type and details, for assertions; fails when nothing fails. */
export async function refusal(attempt: Promise<unknown>): Promise<unknown> {
  const outcome = await attempt.then(
    () => ({ type: 'did not fail', details: [] }),
    (error: unknown) => error,
  );
  return outcome;
}
