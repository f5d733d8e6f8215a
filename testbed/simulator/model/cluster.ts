import type { ServedBalancer } from '../../base/cloud-api.js';
import type { Manager } from '../../../domain/vocabulary.js';
import type { EtcdMemberView, MachineProvider } from '../../base/machines/machine.js';
import type { CloudCall, Truth } from '../../base/truth/truth.js';
import type { CloudFaults } from '../cloud/cloud-faults.js';
import type { Clock } from './clock.js';
import type { SimulatedNode } from './nodes.js';
import type { ObjectStore } from './stored-objects.js';

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
  /** Takes all Nodes from a load balancer at the cloud, until a controller gives it some; the cluster is not informed. */
  emptyCloudLoadBalancer(service: string): boolean;
  /** What the cloud itself lists. */
  cloudLoadBalancers(): readonly ServedBalancer[];
  truth(): Truth;
  cloudJournal(): readonly CloudCall[];
  /** What the cloud does to the calls of controllers, on order. */
  readonly cloudFaults: CloudFaults;
  /** Calls that have no answer because the cloud hangs. */
  hangingCloudCalls(): number;
  /** Cancels everything scheduled. */
  stop(): void;
}
