import type { MinorRow } from './by-minor.js';

/**
 * How real managers behave, minor by minor: the simulator's own knowledge, collected independently of the product's
 * so that it cannot confirm a mistake there. CM = kubernetes/controller-manager, CP = kubernetes/cloud-provider, CG =
 * kubernetes/client-go, KK = kubernetes/kubernetes. "run" = seen on real binaries.
 */

/** Loops that talk to the cloud, and node IPAM, under the names of `running_managed_controllers`. */
export type LoopName = 'service' | 'route' | 'cloud-node-lifecycle' | 'nodeipam' | 'cloud-node';

/** The name under which a manager registers each loop: Leader Migration compares these names exactly. */
export const REGISTERED_NAMES: readonly MinorRow<Readonly<Record<LoopName, string>>>[] = [
  {
    from: 21,
    to: 27,
    value: {
      service: 'service',
      route: 'route',
      'cloud-node-lifecycle': 'cloud-node-lifecycle',
      nodeipam: 'nodeipam',
      'cloud-node': 'cloud-node',
    },
    source: 'CP app/controllermanager.go v0.27.0; run on 1.27.4',
  },
  {
    from: 28,
    value: {
      service: 'service-lb-controller',
      route: 'node-route-controller',
      'cloud-node-lifecycle': 'cloud-node-lifecycle-controller',
      nodeipam: 'node-ipam-controller',
      'cloud-node': 'cloud-node-controller',
    },
    source: 'CP names/controller_names.go v0.28.0; run on 1.28.15 to 1.30.14',
  },
];

/** Old names that `--controllers` still accepts. Leader Migration never resolves them. */
export const ALIASES: readonly MinorRow<Readonly<Record<string, string>>>[] = [
  { from: 21, to: 27, value: {}, source: 'CM options/generic.go v0.27.0 (no aliases)' },
  {
    from: 28,
    value: {
      service: 'service-lb-controller',
      route: 'node-route-controller',
      'cloud-node-lifecycle': 'cloud-node-lifecycle-controller',
      nodeipam: 'node-ipam-controller',
      'cloud-node': 'cloud-node-controller',
      'serviceaccount-token': 'serviceaccount-token-controller',
    },
    source: 'CM options/generic.go v0.28.0, KK cmd/kube-controller-manager/names',
  },
];

/** Controllers that the built-in configuration (Leader Migration without a file) lists; null: a file is mandatory. */
export const BUILT_IN_MIGRATED: readonly MinorRow<readonly string[] | null>[] = [
  { from: 21, to: 21, value: null, source: 'CM pkg/leadermigration/options v0.21.0' },
  {
    from: 22,
    to: 27,
    value: ['route', 'service', 'cloud-node-lifecycle'],
    source: 'CM pkg/leadermigration/config/default.go v0.22.0 to v0.27.0',
  },
  {
    from: 28,
    value: ['route-controller', 'service-controller', 'cloud-node-lifecycle-controller'],
    source:
      'CM pkg/leadermigration/config/default.go v0.28.0 (two names that nothing registers); run on 1.30.14',
  },
];

export const BUILT_IN_LEADER_NAME = 'cloud-provider-extraction-migration';

/** Versions of `controllermanager.config.k8s.io` that decode. */
export const CONFIG_VERSIONS: readonly MinorRow<readonly string[]>[] = [
  { from: 21, to: 21, value: ['v1alpha1'], source: 'CM config/ v0.21.0' },
  { from: 22, to: 23, value: ['v1alpha1', 'v1beta1'], source: 'CM config/ v0.22.0' },
  { from: 24, value: ['v1alpha1', 'v1beta1', 'v1'], source: 'CM config/ v0.24.0 to v0.36.0' },
];

/** Whether unknown and duplicate fields of the configuration file are fatal. */
export const STRICT_DECODING: readonly MinorRow<boolean>[] = [
  { from: 21, to: 31, value: false, source: 'CM pkg/leadermigration/config/config.go v0.31.0' },
  { from: 32, value: true, source: 'CM pkg/leadermigration/config/config.go v0.32.0' },
];

/** Whether `component: "*"` means every component (else it is a name that no component has). */
export const WILDCARD_COMPONENT: readonly MinorRow<boolean>[] = [
  { from: 21, to: 21, value: false, source: 'CM pkg/leadermigration/migrator.go v0.21.0' },
  { from: 22, value: true, source: 'CM pkg/leadermigration/migrator.go v0.22.0' },
];

/** Which lease duration a waiting candidate applies: its own or the one in the record. */
export const EXPIRY_BY: readonly MinorRow<'own' | 'record'>[] = [
  { from: 21, to: 26, value: 'own', source: 'CG tools/leaderelection/leaderelection.go v0.26.0' },
  { from: 27, value: 'record', source: 'CG tools/leaderelection/leaderelection.go v0.27.0' },
];

/** Whether a holder renews without reading first (and reads only when that write is rejected). */
export const BLIND_RENEWAL: readonly MinorRow<boolean>[] = [
  { from: 21, to: 29, value: false, source: 'CG tools/leaderelection/leaderelection.go v0.29.0' },
  {
    from: 30,
    value: true,
    source: 'CG tools/leaderelection/leaderelection.go v0.30.0 (fast path)',
  },
];

/** Name of the KCM's token controller, and whether disabling it in `--controllers` prevents the migration lock. */
export const TOKEN_CONTROLLER: readonly MinorRow<{
  readonly name: string;
  readonly gatesMigration: boolean;
}>[] = [
  {
    from: 21,
    to: 27,
    value: { name: 'serviceaccount-token', gatesMigration: false },
    source: 'KK cmd/kube-controller-manager/app/controllermanager.go v1.27',
  },
  {
    from: 28,
    to: 28,
    value: { name: 'serviceaccount-token-controller', gatesMigration: false },
    source: 'KK cmd/kube-controller-manager/app/controllermanager.go v1.28',
  },
  {
    from: 29,
    value: { name: 'serviceaccount-token-controller', gatesMigration: true },
    source: 'KK cmd/kube-controller-manager/app/controllermanager.go v1.29; run on 1.30.14',
  },
];

/** What a KCM does with a `--cloud-provider` that is neither empty nor `external`. */
export const KCM_IN_TREE: readonly MinorRow<'loops' | 'refused'>[] = [
  {
    from: 21,
    to: 31,
    value: 'loops',
    source: 'KK cmd/kube-controller-manager/app/cloudproviders.go; run on 1.27 to 1.30',
  },
  { from: 32, value: 'refused', source: 'KK pull 128197: only empty or external since 1.32' },
];

/** Last minor whose KCM includes a provider's code; custom providers (`labcloud`) are in every build of theirs. */
export const LAST_IN_TREE_MINOR: Readonly<
  Record<string, { readonly minor: number; readonly source: string }>
> = {
  openstack: { minor: 25, source: 'CP plugins.go v0.25.0, legacy-cloud-providers v0.25.0' },
  aws: { minor: 26, source: 'CP plugins.go v0.26.0, legacy-cloud-providers v0.26.0' },
  azure: { minor: 29, source: 'KK pull 122857' },
  vsphere: { minor: 29, source: 'CP plugins.go v0.29.0' },
  gce: { minor: 30, source: 'KK pull 124519' },
};

/** Gate `DisableCloudProviders`, which refuses the providers above; null: unknown gate, so the process does not start. */
export const DISABLE_CLOUD_PROVIDERS: readonly MinorRow<'off' | 'on' | 'locked' | null>[] = [
  { from: 21, to: 21, value: null, source: 'KK pkg/features v1.21' },
  {
    from: 22,
    to: 28,
    value: 'off',
    source: 'kubernetes/website feature-gates/disable-cloud-providers.md',
  },
  { from: 29, to: 30, value: 'on', source: 'same' },
  { from: 31, to: 32, value: 'locked', source: 'same' },
  { from: 33, value: null, source: 'KK pull 130162' },
];

/** Gate `ControllerManagerLeaderMigration`: in 1.27 and later it is unknown, so naming it is an error. */
export const LEADER_MIGRATION_GATE: readonly MinorRow<'off' | 'on' | null>[] = [
  { from: 21, to: 21, value: 'off', source: 'CM pkg/features/kube_features.go v0.21.0' },
  { from: 22, to: 26, value: 'on', source: 'CM pkg/features/kube_features.go v0.22.0 to v0.26.0' },
  { from: 27, value: null, source: 'CM pkg/features/kube_features.go v0.27.0' },
];

/** How the service controller notices that the Nodes behind load balancers have changed. */
export interface NodeSyncRule {
  /** Through a queue of Nodes, or by one signal whenever a Node changes and every 100 s. */
  readonly by: 'queue' | 'signal';
  /** The set that the Nodes are compared with: of the controller, or the one that each Service was last synced with. */
  readonly remembers: 'controller' | 'service';
  /** Whether Nodes that are not Ready count (gate StableLoadBalancerNodeSet). */
  readonly countsUnready: boolean;
  /** Whether another providerID is another Node. */
  readonly byProviderId: boolean;
}

export const NODE_SYNC: readonly MinorRow<NodeSyncRule>[] = [
  {
    from: 21,
    to: 25,
    value: { by: 'signal', remembers: 'controller', countsUnready: false, byProviderId: false },
    source: 'CP controllers/service/controller.go v0.21.14 to v0.25.16 (nodeSyncLoop)',
  },
  {
    from: 26,
    to: 26,
    value: { by: 'queue', remembers: 'controller', countsUnready: false, byProviderId: true },
    source: 'CP controllers/service/controller.go v0.26.15 (syncNodes)',
  },
  {
    from: 27,
    to: 27,
    value: { by: 'queue', remembers: 'controller', countsUnready: true, byProviderId: false },
    source: 'CP controllers/service/controller.go v0.27.4; CM pkg/features v0.27.11',
  },
  {
    from: 28,
    value: { by: 'queue', remembers: 'service', countsUnready: true, byProviderId: true },
    source: 'CP controllers/service/controller.go v0.28.15 to v0.36.0; CM pkg/features v0.31.14',
  },
];

/** How builds of cloud-controller-managers differ, identified by a word in the image's name. */
export interface CcmBuild {
  readonly word: string;
  readonly honoursLeaderMigration: boolean;
  readonly servesElectionMetric: boolean;
  readonly source: string;
}

export const CCM_BUILDS: readonly CcmBuild[] = [
  {
    word: 'azure',
    honoursLeaderMigration: false,
    servesElectionMetric: true,
    source: 'kubernetes-sigs/cloud-provider-azure cmd/cloud-controller-manager/app v1.27 to v1.30',
  },
  {
    word: 'openstack',
    honoursLeaderMigration: true,
    servesElectionMetric: false,
    source: 'kubernetes/cloud-provider-openstack cmd/openstack-cloud-controller-manager/main.go',
  },
];
