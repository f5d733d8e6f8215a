import type {
  ClusterObservation,
  ControlPlaneNode,
  LeaseObservation,
  ManagerConfig,
} from '../../../domain/observation/observation.js';
import type { LeaseRef } from '../../../domain/vocabulary.js';

const NAMESPACE = 'kube-system';
const KCM_LOCK: LeaseRef = { namespace: NAMESPACE, name: 'kube-controller-manager' };
const MIGRATION_LOCK: LeaseRef = {
  namespace: NAMESPACE,
  name: 'cloud-provider-extraction-migration',
};
const TIMINGS = { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 };
const FROM = '1.29.15';
const TO = '1.30.14';
/** Identity of the process on the first node, which leads. */
const HOLDER = 'cp-1_bench';

/** Three nodes with in-tree controllers. It stays the same: what a model cluster has done is in the journal. */
export function benchObservation(name: string, uid: string, atMs: number): ClusterObservation {
  return {
    cluster: { uid, name },
    observedAtMs: atMs,
    apiServers: { versions: [TO], sharedAddress: 'yes' },
    nodes: NODES,
    machinesOrdered: [],
    etcd: { topology: 'external', members: [] },
    leases: LEASES,
    access: {
      leaseGrant: 'present',
      mayUseMigrationLease: { kcm: 'yes', ccm: 'yes' },
      ccmAccess: 'present',
    },
    ccmWorkload: { source: 'none', owner: 'none', name: '', template: null },
    baseline: { digest: 'sha256:baseline', kcm: CONFIG, controlPlaneNodes: NODES.length },
    kubeadm: { configMap: 'absent', followsManifests: 'yes' },
    inventory: {
      workers: { total: 12, ready: 12, kubeletInTree: 12, kubeletExternal: 0, uninitialized: 0 },
      services: { loadBalancers: 8, pending: 0, ingressDigest: 'sha256:services' },
      nodes: { total: 15, withoutProviderId: 0, digest: 'sha256:nodes' },
      persistentVolumes: { inTree: 0 },
      exceptions: [],
    },
  };
}

const CONFIG: ManagerConfig = {
  manager: 'kcm',
  image: `registry.k8s.io/kube-controller-manager:v${FROM}`,
  version: FROM,
  cloudProvider: 'bench',
  cloudLoops: true,
  leaderElect: true,
  mainLock: KCM_LOCK,
  timings: TIMINGS,
  leaderMigration: {
    kind: 'on',
    lock: MIGRATION_LOCK,
    dispositions: {
      ...{ service: 'migrated', route: 'migrated', 'cloud-node-lifecycle': 'migrated' },
      nodeipam: 'nonMigrated',
    },
    configHash: 'sha256:leader-migration',
  },
  contendsForMigrationLock: true,
  clusterName: 'kubernetes',
  clusterCidr: '10.200.0.0/16',
  routes: true,
  controllers: '*',
  cloudConfigHash: 'sha256:cloud',
};

const NODES: readonly ControlPlaneNode[] = ['cp-1', 'cp-2', 'cp-3'].map((name, index) => ({
  name,
  hostname: name,
  side: 'source',
  kubeletVersion: FROM,
  kubeletCloudProvider: 'inTree',
  ready: 'yes',
  cordoned: false,
  providerId: `bench://${name}`,
  reachable: true,
  kcm: {
    manifest: { state: 'present', source: 'staticPod', hash: 'sha256:kcm', config: CONFIG },
    processes: [
      {
        pid: 1000 + index,
        startedAtMs: 1000,
        podUid: `pod-${name}`,
        config: CONFIG,
        liveness: 'running',
        restarts: 0,
        identity: index === 0 ? HOLDER : null,
        locks:
          index === 0
            ? { main: 'held', migration: 'held' }
            : { main: 'waiting', migration: 'notTried' },
      },
    ],
  },
  ccm: { manifest: { state: 'absent' }, processes: [] },
}));

const LEASES: readonly LeaseObservation[] = [MIGRATION_LOCK, KCM_LOCK].map((ref) => ({
  ...ref,
  holder: HOLDER,
  resourceVersion: '1',
  leaseDurationSeconds: 15,
  transitions: 0,
  freshness: { kind: 'advancing' },
  holderState: 'alive',
}));
