import type { ObjectList } from '../../domain/comparison/compared-object.js';
import type { LoadBalancer } from '../../domain/observation/load-balancers.js';
import type {
  AccessObservation,
  BaselineObservation,
  Inventory,
} from '../../domain/observation/observation.js';
import type { KubeadmReading, NamedFiles } from './readings.js';
import type { OwnAddresses } from './shared-address.js';
import type { WorkloadReading } from './workload.js';

/** What changes seldom and costs many requests: read by a full observation, carried over by light ones. */
export interface CachedReads {
  /** `/version`, without `v`; empty when unknown. */
  readonly serverVersion: string;
  readonly ownAddress: OwnAddresses;
  readonly namedFiles: NamedFiles;
  readonly access: AccessObservation;
  readonly workload: WorkloadReading;
  readonly baseline: BaselineObservation | null;
  /** The recorded KCM manifest; null when none was recorded. Its text never leaves the worker. */
  readonly baselineManifest: string | null;
  /** Names of our existing access objects, as in evidence; null when they were not listed. */
  readonly accessObjects: ReadonlySet<string> | null;
  readonly kubeadm: KubeadmReading;
  readonly inventory: Inventory;
  /** The source lists of the inventory; null before one was read. */
  readonly loadBalancers: readonly LoadBalancer[] | null;
  /** What is compared of that listing: megabytes in a large cluster, so only within the activity that made it. */
  readonly objects: ObjectList | null;
}

export type CachedRead =
  | 'version'
  | 'rights'
  | 'leaseGrant'
  | 'ccmAccess'
  | 'workload'
  | 'baseline'
  | 'kubeadm'
  | 'inventory';

export const ALL_CACHED_READS: readonly CachedRead[] = [
  'version',
  'rights',
  'leaseGrant',
  'ccmAccess',
  'workload',
  'baseline',
  'kubeadm',
  'inventory',
];

const NOBODY = { total: 0, ready: 0, kubeletInTree: 0, kubeletExternal: 0, uninitialized: 0 };

/** Before any cached read: all unknown. The guard, which judges none of it, observes with this. */
export const NOT_READ: CachedReads = {
  serverVersion: '',
  ownAddress: new Map(),
  namedFiles: new Map(),
  access: {
    leaseGrant: 'unknown',
    mayUseMigrationLease: { kcm: 'unknown', ccm: 'unknown' },
    ccmAccess: 'unknown',
  },
  workload: {
    observation: { source: 'unknown', owner: 'unknown', name: '', template: null },
    manifest: null,
    hash: '',
    configMaps: new Map(),
  },
  baseline: null,
  baselineManifest: null,
  accessObjects: null,
  kubeadm: { configMap: 'unknown', clusterConfiguration: '' },
  inventory: {
    workers: NOBODY,
    services: { loadBalancers: 0, pending: 0, ingressDigest: '' },
    nodes: { total: 0, withoutProviderId: 0, digest: '' },
    persistentVolumes: { inTree: 0 },
    exceptions: [],
  },
  loadBalancers: null,
  objects: null,
};
