/**
 * Reasons of Events of the service, route and cloud-node controllers that say how a call to the cloud began or ended.
 * Source: k8s.io/cloud-provider controllers/{service,route,node}, v0.29.15 and v0.30.14. Where a cloud leaves a Service to
 * another controller (`ImplementedElsewhere`), `EnsuringLoadBalancer` is never followed by its end.
 */
export const CLOUD_REASONS = [
  'EnsuringLoadBalancer',
  'EnsuredLoadBalancer',
  'UpdatedLoadBalancer',
  'SyncLoadBalancerFailed',
  'UpdateLoadBalancerFailed',
  'FailedToCreateRoute',
  'Synced',
] as const;

export type CloudReason = (typeof CLOUD_REASONS)[number];

/** An Event object: all repetitions of it that one process has told. */
export interface ObjectEvent {
  readonly reason: CloudReason;
  /** The Service's uid, or the Node's name: Events about routes carry the name as uid. */
  readonly about: string;
  /** When the object was made, epoch ms by the API server's clock. A new process never continues an older object. */
  readonly madeAtMs: number;
  /** The last repetition, epoch ms by the clock of the process that told it, in whole seconds. */
  readonly lastAtMs: number;
  /** Untrusted text. */
  readonly message: string;
}

/** A Service that the service controller is responsible for. */
export interface ServiceFacts {
  /** `namespace/name`. */
  readonly name: string;
  readonly uid: string;
  readonly createdAtMs: number;
  readonly hasAddress: boolean;
  /** It is being deleted, or needs no load balancer any more, and its old one is not yet gone. */
  readonly leaving: boolean;
}

export interface CloudNodeFacts {
  readonly name: string;
  readonly createdAtMs: number;
  /** Taint `node.cloudprovider.kubernetes.io/uninitialized`. */
  readonly uninitialized: boolean;
  /** Since when the route controller says that its routes exist, by that controller's clock; null while it does not. */
  readonly routedSinceMs: number | null;
}

/** Services, Nodes and Events of one moment, each list complete. */
export interface ObjectReading {
  /** Epoch ms by the API server's clock. */
  readonly serverTimeMs: number;
  readonly services: readonly ServiceFacts[];
  readonly nodes: readonly CloudNodeFacts[];
  /** Those with a `CloudReason`. */
  readonly events: readonly ObjectEvent[];
}
