import type { CloudController, Manager } from '../../../domain/vocabulary.js';
import type { Clock } from './clock.js';
import type { MachineProvider, SimulatedNode } from './nodes.js';
import type { ObjectStore } from './objects.js';

/** One call of a cloud controller to the cloud. */
export interface CloudCall {
  readonly atMs: number;
  readonly durationMs: number;
  /** `EnsureLoadBalancer`, `EnsureLoadBalancerDeleted`, `UpdateLoadBalancer`, `ListRoutes`, `InstanceExists`, … */
  readonly op: string;
  readonly args: string;
  readonly controller: CloudController | 'cloud-node';
  readonly cluster: string;
  readonly node: string;
  readonly manager: Manager;
  readonly pid: number;
  readonly identity: string;
  readonly version: string;
}

export interface OwnershipInterval {
  readonly fromMs: number;
  readonly toMs: number | null;
  /** Like `kcm:cp-1#812`, sorted; empty while there is no owner. */
  readonly owners: readonly string[];
}

export interface ControllerTruth {
  readonly overlapSeconds: number;
  readonly orphanSeconds: number;
  /** How often the single owner became another process. */
  readonly moves: number;
  readonly intervals: readonly OwnershipInterval[];
  readonly orphans: readonly {
    readonly fromMs: number;
    readonly toMs: number | null;
    readonly seconds: number;
  }[];
}

/** What really happened, recorded from the processes that ran a loop and never from what any process assumes. */
export interface Truth {
  readonly nowMs: number;
  readonly controllers: Readonly<
    Record<'service' | 'route' | 'cloud-node-lifecycle', ControllerTruth>
  >;
  readonly cloudCalls: number;
}

/** One member of a stacked etcd. */
export interface EtcdMemberView {
  readonly name: string;
  readonly node: string;
  /** False while it is a learner. */
  readonly voter: boolean;
  readonly healthy: boolean;
  readonly leader: boolean;
}

export interface SimulatedCluster {
  readonly id: string;
  /** UID of namespace kube-system. */
  readonly uid: string;
  readonly clock: Clock;
  readonly store: ObjectStore;
  /** The version that `/version` reports, with `v`. */
  readonly apiServerVersion: string;
  readonly machines: MachineProvider;
  /** Control-plane machines that exist at the provider, crashed ones included, sorted by Node name. */
  nodes(): readonly SimulatedNode[];
  /** A control-plane machine, or a worker with its kubelet's flags only. */
  node(name: string): SimulatedNode | undefined;
  /** Gives every machine, including future ones, the authority that signs the API server's certificate. */
  trust(authorityPem: string): void;
  /** Members of the stacked etcd; null when etcd runs elsewhere. */
  etcd(): readonly EtcdMemberView[] | null;
  /** Each event returns false when it has no target. */
  crashProcess(node: string, manager: Manager): boolean;
  pauseProcess(node: string, manager: Manager): boolean;
  resumeProcess(node: string, manager: Manager): boolean;
  /** The machine and all its processes end at once. It stays at the provider until it is deleted. */
  crashNode(node: string): boolean;
  /** The node cannot reach any API server and cannot be reached; its processes keep running. */
  partitionNode(node: string): boolean;
  /** Ends a partition; boots a crashed machine again (new bootId). */
  healNode(node: string): boolean;
  /** Removes a load balancer at the cloud; the cluster is not informed. */
  deleteCloudLoadBalancer(service: string): boolean;
  truth(): Truth;
  cloudJournal(): readonly CloudCall[];
  /** Cancels everything scheduled. */
  stop(): void;
}
