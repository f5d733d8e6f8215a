import type { KubeletDelays } from '../kubelets/delays.js';
import type { KubeletCloudProvider } from '../kubelets/node-object.js';
import type { Clock } from '../model.js';

/** Leader Migration of one manager, as an operator set it up by hand. */
export type LeaderMigrationSetup =
  | 'off'
  /** A file with the names that this binary registers. */
  | 'canonical'
  /** A file with the official guide's names (`route`, `service`, `cloud-node-lifecycle`). */
  | 'guide'
  /** Enabled without a file. */
  | 'builtIn'
  /** The guide's file with its unquoted `*`, which does not parse. */
  | 'unquoted';

export interface ManagerPlan {
  /** Without `v`. */
  readonly version: string;
  readonly cloudProvider: string;
  readonly migration: LeaderMigrationSetup;
  /** Full image reference; by default the project's own for the version. */
  readonly image?: string;
  readonly controllers?: string;
  /** Arguments appended at the end: the last occurrence of a flag wins. */
  readonly extraArguments?: readonly string[];
}

export interface NodePlan {
  readonly kcm: ManagerPlan | null;
  readonly ccm: ManagerPlan | null;
  readonly kubelet: KubeletCloudProvider;
  readonly kubeletVersion: string;
  /** Delay before a manifest is written; 0 by default. */
  readonly afterMs?: { readonly kcm?: number; readonly ccm?: number };
}

/** Clusters as operators leave them in practice, by name. */
export type PresetName =
  /** All in-tree, no Leader Migration: the usual start of a migration. */
  | 'in-tree'
  /** The official guide followed verbatim on 1.28 or later, with a CCM beside each KCM: both run everything. */
  | 'guide-130'
  /** A CCM without Leader Migration was started beside in-tree KCMs: both run everything. */
  | 'ccm-without-lm'
  /** All KCMs external with Leader Migration left on: they hold the lock and run nothing. */
  | 'external-kcm-with-lm'
  /** A manual migration that ended after its first node: one external KCM with a CCM, the rest in-tree, all protected. */
  | 'stopped-half-way'
  /** Finished: external KCMs without Leader Migration, a CCM with it on each node. */
  | 'migrated';

/** The parameters of a cluster. Everything but `id` and `clock` has a default. */
export interface ClusterSpec {
  readonly id: string;
  readonly clock: Clock;
  readonly seed?: string | number;
  /** Control-plane nodes `cp-1`, `cp-2`, …; 3 by default. */
  readonly nodes?: number;
  /** Version of managers and kubelets at the start, without `v`. */
  readonly version?: string;
  /** Version of the API servers; that of the managers by default. */
  readonly apiServerVersion?: string;
  readonly cloudProvider?: string;
  readonly kubelet?: KubeletCloudProvider;
  readonly preset?: PresetName;
  /** Each node's managers, in order; overrides `preset`. */
  readonly plans?: readonly NodePlan[];
  readonly etcd?: 'external' | 'stacked';
  readonly etcdMemberRemoval?: 'machinesApi' | 'us';
  /** Whether managers reach the API servers through one shared address, or each through its own node's. */
  readonly sharedApiAddress?: boolean;
  /** `different`: the OS hostname is not the Node's name, as on some clouds. */
  readonly hostnames?: 'same' | 'different';
  /** Whether the grant on the migration Lease exists; presets with Leader Migration have it. */
  readonly leaseGrant?: boolean;
  /** Whether the CCM has its access (ServiceAccount, ClusterRole, bindings); presets with a CCM have it. */
  readonly ccmAccess?: boolean;
  readonly workers?: number;
  readonly loadBalancers?: number;
  readonly kubeletDelays?: Partial<KubeletDelays>;
  /** Names of machines that never come up. */
  readonly brokenMachines?: readonly string[];
}

/** The spec with every default applied. */
export type CompleteSpec = Required<Omit<ClusterSpec, 'preset' | 'kubeletDelays'>>;

/** Numbers and names that are the same for all clusters. */
export const CLUSTER_CIDR = '10.244.0.0/14';
