import fc from 'fast-check';
import type {
  ClusterObservation,
  ControlPlaneNode,
  EtcdMember,
  LeaderMigration,
  ManagerConfig,
  ManagerProcess,
  ManagerSlot,
} from '../../domain/observation/observation.js';
import { clusterOf } from './cluster-builder.js';

/** Observations of every shape that the types allow, possible on a real cluster or not; often with equal parts. */
const word = fc.constantFrom('', 'a', 'kube-system', 'cp-1', 'kubernetes', '*', 'sha256:0');
const count = fc.constantFrom(0, 1, 15, 1_700_000_000_000);
const tristate = fc.constantFrom('yes', 'no', 'unknown');
const lease = fc.record({ namespace: word, name: word });
const disposition = fc.constantFrom('unowned', 'migrated', 'nonMigrated');
const seconds = fc.constantFrom(2, 10, 15);

const leaderMigration: fc.Arbitrary<LeaderMigration> = fc.oneof(
  fc.constant({ kind: 'off' as const }),
  fc.record({ kind: fc.constant('unreadable' as const), why: word }),
  fc.record({
    kind: fc.constant('on' as const),
    lock: lease,
    dispositions: fc.record({
      service: disposition,
      route: disposition,
      'cloud-node-lifecycle': disposition,
      nodeipam: disposition,
    }),
    configHash: word,
  }),
);

const config: fc.Arbitrary<ManagerConfig> = fc.record(
  {
    manager: fc.constantFrom('kcm', 'ccm'),
    image: word,
    version: word,
    cloudProvider: word,
    cloudLoops: fc.boolean(),
    leaderElect: fc.boolean(),
    mainLock: lease,
    timings: fc.record({
      leaseDurationSeconds: seconds,
      renewDeadlineSeconds: seconds,
      retryPeriodSeconds: seconds,
    }),
    leaderMigration,
    contendsForMigrationLock: fc.boolean(),
    clusterName: word,
    clusterCidr: word,
    routes: fc.boolean(),
    controllers: word,
    cloudConfigHash: word,
    featureGates: word,
    cidrAllocator: word,
  },
  {
    requiredKeys: [
      ...(['manager', 'image', 'version', 'cloudProvider', 'cloudLoops', 'leaderElect'] as const),
      ...([
        'mainLock',
        'timings',
        'leaderMigration',
        'contendsForMigrationLock',
        'clusterName',
      ] as const),
      ...(['clusterCidr', 'routes', 'controllers', 'cloudConfigHash'] as const),
    ],
  },
);

const role = fc.constantFrom('held', 'waiting', 'notTried', 'unknown');
const process: fc.Arbitrary<ManagerProcess> = fc.record({
  pid: count,
  startedAtMs: fc.option(count),
  podUid: fc.option(word),
  config,
  liveness: fc.constantFrom('running', 'paused', 'crashLooping', 'unknown'),
  restarts: count,
  identity: fc.option(word),
  locks: fc.record({ main: role, migration: role }),
});

const source = fc.constantFrom('staticPod', 'daemonSet', 'deployment', 'systemd', 'unknown');
const manifest: fc.Arbitrary<ManagerSlot['manifest']> = fc.oneof(
  fc.constant({ state: 'absent' as const }),
  fc.record({ state: fc.constant('present' as const), source, hash: word, config }),
  fc.record({ state: fc.constant('parked' as const), hash: word, config }),
  fc.record({ state: fc.constant('interrupted' as const), successorHash: word, successor: config }),
  fc.record({ state: fc.constant('unknown' as const), why: word }),
);
const slot: fc.Arbitrary<ManagerSlot> = fc.record({
  manifest,
  processes: fc.array(process, { maxLength: 2 }),
});

const node: fc.Arbitrary<ControlPlaneNode> = fc.record({
  name: word,
  hostname: fc.option(word),
  side: fc.constantFrom('source', 'target', 'mixed', 'unknown'),
  kubeletVersion: word,
  kubeletCloudProvider: fc.constantFrom('inTree', 'external', 'none', 'unknown'),
  ready: tristate,
  cordoned: fc.boolean(),
  providerId: fc.option(word),
  reachable: fc.boolean(),
  kcm: slot,
  ccm: slot,
});

const member: fc.Arbitrary<EtcdMember> = fc.record({
  node: fc.option(word),
  name: word,
  voter: tristate,
  healthy: tristate,
  leader: fc.boolean(),
});

const REST = clusterOf({ nodes: [], kcmLeader: 'free', ccmLeader: 'free', migration: 'free' });

/** Parts that are not packed are as in any cluster. */
export const arbitraryObservation: fc.Arbitrary<ClusterObservation> = fc
  .record({
    nodes: fc.array(node, { maxLength: 3 }),
    ccmWorkload: fc.record({
      source: fc.oneof(fc.constant('none' as const), source),
      owner: fc.constantFrom('ours', 'foreign', 'unknown', 'none'),
      name: word,
      template: fc.option(config),
    }),
    etcd: fc.record({
      topology: fc.constantFrom('external', 'stacked', 'unknown'),
      members: fc.array(member, { maxLength: 3 }),
    }),
    baseline: fc.option(fc.record({ digest: word, kcm: config, controlPlaneNodes: count })),
  })
  .map((parts) => ({ ...REST, ...parts }));
