import type {
  CloudController,
  Disposition,
  LeaseRef,
  Manager,
  Side,
  Tristate,
} from '../vocabulary.js';

/**
 * Everything a decision needs, as plain JSON: at most 16 KB whatever the cluster's size. Nothing here is
 * remembered: each observation is built from scratch. Unknown is a value of its own.
 */
export interface ClusterObservation {
  /** `uid` is the UID of namespace kube-system: the identity of a cluster behind any URL. */
  readonly cluster: { readonly uid: string; readonly name: string };
  /** Epoch milliseconds on the observing worker's clock. */
  readonly observedAtMs: number;
  readonly apiServers: ApiServers;
  /** Control-plane nodes, sorted by name. */
  readonly nodes: readonly ControlPlaneNode[];
  /** Machines that were requested and are not Nodes yet. */
  readonly machinesOrdered: readonly OrderedMachine[];
  /** Names of machines in service that are not those of their Nodes: no new one may have them. Left out where there are none. */
  readonly takenNames?: readonly string[];
  readonly etcd: EtcdObservation;
  /** Every (namespace, name) that any configuration or the policy names, and both default main Leases; sorted. */
  readonly leases: readonly LeaseObservation[];
  readonly access: AccessObservation;
  readonly ccmWorkload: CcmWorkload;
  readonly baseline: BaselineObservation | null;
  readonly kubeadm: KubeadmObservation;
  readonly inventory: Inventory;
}

export interface ApiServers {
  /** Distinct versions seen, lowest first, without `v`. */
  readonly versions: readonly string[];
  /** Whether managers reach the API servers through one shared address. */
  readonly sharedAddress: Tristate;
}

export interface ControlPlaneNode {
  readonly name: string;
  /** OS hostname: the prefix of holder identities made on this node; null when it could not be read. */
  readonly hostname: string | null;
  readonly side: Side;
  readonly kubeletVersion: string;
  readonly kubeletCloudProvider: 'inTree' | 'external' | 'none' | 'unknown';
  readonly ready: Tristate;
  readonly cordoned: boolean;
  readonly providerId: string | null;
  /** Whether the node's own files and processes could be read. */
  readonly reachable: boolean;
  readonly kcm: ManagerSlot;
  readonly ccm: ManagerSlot;
}

/** The state of one manager on a node: its manifest (or its part of a workload) and its processes. */
export interface ManagerSlot {
  readonly manifest:
    | { readonly state: 'absent' }
    /** In place and meant to run; `source` names what starts it. */
    | {
        readonly state: 'present';
        readonly source: CcmSource;
        readonly hash: string;
        readonly config: ManagerConfig;
      }
    /** Removed by us and kept aside; a later step puts it back. */
    | { readonly state: 'parked'; readonly hash: string; readonly config: ManagerConfig }
    /** A step of ours was interrupted between removing a manifest and writing its successor. */
    | {
        readonly state: 'interrupted';
        readonly successorHash: string;
        readonly successor: ManagerConfig;
      }
    | { readonly state: 'unknown'; readonly why: string };
  readonly processes: readonly ManagerProcess[];
}

export type CcmSource = 'staticPod' | 'daemonSet' | 'deployment' | 'systemd' | 'unknown';

/** A manager's effective settings: from arguments and the Leader Migration file it has read or will read. */
export interface ManagerConfig {
  readonly manager: Manager;
  readonly image: string;
  /** Version of the binary without `v`; for a CCM that of its k8s.io/cloud-provider library. */
  readonly version: string;
  /** Value of `--cloud-provider`; empty when unset. */
  readonly cloudProvider: string;
  /** Whether the process starts cloud controller loops at all once it leads. */
  readonly cloudLoops: boolean;
  readonly leaderElect: boolean;
  readonly mainLock: LeaseRef;
  readonly timings: LeaseTimings;
  readonly leaderMigration: LeaderMigration;
  /** False when `--controllers` excludes the token controller: such a KCM never tries the migration lock (1.29+). */
  readonly contendsForMigrationLock: boolean;
  readonly clusterName: string;
  readonly clusterCidr: string;
  /** Effective state of the route controller. */
  readonly routes: boolean;
  readonly controllers: string;
  readonly cloudConfigHash: string;
  /** `--feature-gates` verbatim; left out when there are none. */
  readonly featureGates?: string;
  /** `--cidr-allocator-type` of a manager that allocates pod ranges; left out for `RangeAllocator`, the default. */
  readonly cidrAllocator?: string;
}

export interface LeaseTimings {
  readonly leaseDurationSeconds: number;
  readonly renewDeadlineSeconds: number;
  readonly retryPeriodSeconds: number;
}

export type LeaderMigration =
  | { readonly kind: 'off' }
  | {
      readonly kind: 'on';
      /** Same namespace as the main lock: `--leader-elect-resource-namespace`. */
      readonly lock: LeaseRef;
      readonly dispositions: Readonly<Record<CloudController, Disposition>>;
      readonly configHash: string;
    }
  /** The file is missing, does not parse, or changed after the process had started (it is read once). */
  | { readonly kind: 'unreadable'; readonly why: string };

export interface ManagerProcess {
  readonly pid: number;
  /** Epoch ms on the node's clock; null when unreadable. */
  readonly startedAtMs: number | null;
  readonly podUid: string | null;
  /** As it runs, not as the manifest is now. */
  readonly config: ManagerConfig;
  readonly liveness: 'running' | 'paused' | 'crashLooping' | 'unknown';
  readonly restarts: number;
  /** The holderIdentity proven to belong to this process; null while it holds nothing. */
  readonly identity: string | null;
  readonly locks: { readonly main: LockRole; readonly migration: LockRole };
}

/** From `leader_election_master_status{name}`: 1 `held`, 0 `waiting`, no series `notTried`, unreadable `unknown`. */
export type LockRole = 'held' | 'waiting' | 'notTried' | 'unknown';

export interface LeaseObservation extends LeaseRef {
  /** Empty when released. */
  readonly holder: string;
  readonly resourceVersion: string;
  readonly leaseDurationSeconds: number;
  readonly transitions: number;
  /**
   * From two observations on our clock; a Lease observed once satisfies no rule. Never from its renewTime against our
   * clock.
   */
  readonly freshness:
    | { readonly kind: 'advancing' }
    | { readonly kind: 'silent'; readonly sinceMs: number }
    | { readonly kind: 'seenOnce' };
  /** `alive`: a process on some node holds it. `dead`: proven on its host, or its machine is deleted. `none`: released. */
  readonly holderState: 'alive' | 'dead' | 'none' | 'unknown';
}

export interface OrderedMachine {
  readonly name: string;
  readonly side: 'source' | 'target';
  readonly state: 'ordered' | 'booting' | 'failed' | 'deleting';
  readonly reason: string;
}

export interface EtcdObservation {
  readonly topology: 'external' | 'stacked' | 'unknown';
  readonly members: readonly EtcdMember[];
}

export interface EtcdMember {
  /** Control-plane node that runs it; null when it runs elsewhere or its node is gone. */
  readonly node: string | null;
  readonly name: string;
  readonly voter: Tristate;
  readonly healthy: Tristate;
  readonly leader: boolean;
}

export interface AccessObservation {
  /** Our separate Role and RoleBinding for the migration Lease. */
  readonly leaseGrant: Presence;
  /** SubjectAccessReview of the identity the manager really uses: get and update on the Lease, create on leases. */
  readonly mayUseMigrationLease: { readonly kcm: Tristate; readonly ccm: Tristate };
  /** ServiceAccount, ClusterRole, bindings and workload (if any) of the CCM, selected by no node yet. */
  readonly ccmAccess: Presence;
}

export type Presence = 'present' | 'partial' | 'absent' | 'unknown';

export interface CcmWorkload {
  readonly source: 'none' | CcmSource;
  /** `foreign`: managed by someone else (Helm, Argo CD, another field manager). */
  readonly owner: 'ours' | 'foreign' | 'unknown' | 'none';
  readonly name: string;
  /** The settings a new pod of it would have. */
  readonly template: ManagerConfig | null;
}

/** What was stored at the start, for a rollback. */
export interface BaselineObservation {
  readonly digest: string;
  /** KCM settings before the first step, and whether that image still has the cloud loops. */
  readonly kcm: ManagerConfig;
  /** Number of control-plane nodes before the first step, to be restored. */
  readonly controlPlaneNodes: number;
}

export interface KubeadmObservation {
  readonly configMap: 'present' | 'absent' | 'unknown';
  /** Whether ClusterConfiguration's controllerManager arguments match the manifests. */
  readonly followsManifests: Tristate;
}

/** What grows with the cluster is reduced to counts, digests and first exceptions (at most 5 of each). */
export interface Inventory {
  readonly workers: {
    readonly total: number;
    readonly ready: number;
    /** Those that are known to run without an external provider; the rest of `total` is unknown. */
    readonly kubeletInTree: number;
    /** Those that are known to run with one, now and after their next restart. */
    readonly kubeletExternal: number;
    readonly uninitialized: number;
  };
  readonly services: {
    readonly loadBalancers: number;
    readonly pending: number;
    readonly ingressDigest: string;
  };
  readonly nodes: {
    readonly total: number;
    readonly withoutProviderId: number;
    readonly digest: string;
  };
  readonly persistentVolumes: { readonly inTree: number };
  /** Digest of the listing's `ObjectList`; absent from an older build. */
  readonly objectsDigest?: string;
  readonly exceptions: readonly string[];
}
