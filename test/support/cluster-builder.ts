import { sideOf } from '../../domain/ownership/owners.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  LeaseObservation,
  LockRole,
  ManagerConfig,
  ManagerProcess,
  ManagerSlot,
} from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { LeaseRef, Manager } from '../../domain/vocabulary.js';
import {
  CCM_MAIN,
  ccmConfig,
  KCM_MAIN,
  kcmConfig,
  MIGRATION,
  TIMINGS,
  type CcmKind,
  type KcmKind,
} from './manager-configs.js';

export { CCM_MAIN, ccmConfig, KCM_MAIN, kcmConfig, MIGRATION } from './manager-configs.js';

/** Builds observations from only the facts that a test is about. */
export function policyOf(changes: Partial<MigrationPolicy> = {}): MigrationPolicy {
  return {
    strategy: 'leaderMigration',
    nodes: { forward: 'inPlace', rollback: 'inPlace' },
    lock: { ...MIGRATION, controllers: ['service', 'route', 'cloud-node-lifecycle'] },
    source: { version: '1.29.15', kcmImage: 'kcm:v1.29.15', cloudProvider: 'labcloud' },
    target: { version: '1.30.14', kcmImage: 'kcm:v1.30.14', cloudProvider: 'external' },
    ccm: {
      image: 'ccm:v1.30.14',
      version: '1.30.14',
      deployAs: 'staticPod',
      leaderMigration: 'implemented',
      timings: TIMINGS,
      accessRules: [],
    },
    kcmTimings: TIMINGS,
    etcdMemberRemoval: 'machinesApi',
    autoRepair: 'frozen',
    rollWorkers: { enabled: false, batchSize: 1 },
    disableLeaderMigration: 'never',
    leaderMigrationAfterRollback: 'keep',
    soakSeconds: 0,
    orphanBudgetMs: 30_000,
    waivers: [],
    onBreach: 'hold',
    handoverApproval: 'notRequired',
    ...changes,
  };
}

/** Where a machine is lost it is really gone, and a person has said so. */
export function withWord(policy: MigrationPolicy): MigrationPolicy {
  const word = { code: 'CCM2020', observationDigest: '', actor: 'ben', reason: 'switched off' };
  return { ...policy, waivers: [...policy.waivers, word] };
}

export interface NodeSpec {
  readonly kcm: KcmKind;
  readonly ccm: CcmKind;
}

/** Index of the node that leads or holds; `dead`: held by a process that is gone; `free`: no Lease. */
export type HolderSpec = number | 'dead' | 'free';

export interface ClusterSpec {
  readonly nodes: readonly NodeSpec[];
  readonly kcmLeader: HolderSpec;
  readonly ccmLeader: HolderSpec;
  readonly migration: { readonly manager: Manager; readonly node: number } | 'dead' | 'free';
  readonly granted?: boolean;
}

/** Two control-plane nodes before any step: in-tree KCMs, and no CCM. */
export const UNTOUCHED: ClusterSpec = {
  nodes: [
    { kcm: 'inTree', ccm: 'none' },
    { kcm: 'inTree', ccm: 'none' },
  ],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: 'free',
};

export function clusterOf(
  spec: ClusterSpec,
  base: Partial<ClusterObservation> = {},
): ClusterObservation {
  const nodes = spec.nodes.map((node, index) => nodeOf(spec, node, index));
  return {
    cluster: { uid: 'uid-1', name: 'c1' },
    observedAtMs: 1_000_000,
    apiServers: { versions: ['1.30.14'], sharedAddress: 'yes' },
    nodes,
    machinesOrdered: [],
    etcd: { topology: 'external', members: [] },
    leases: leasesOf(spec),
    access: {
      leaseGrant: spec.granted === true ? 'present' : 'absent',
      mayUseMigrationLease:
        spec.granted === true ? { kcm: 'yes', ccm: 'yes' } : { kcm: 'no', ccm: 'no' },
      ccmAccess: spec.nodes.some(({ ccm }) => ccm !== 'none') ? 'present' : 'absent',
    },
    ccmWorkload: { source: 'none', owner: 'none', name: '', template: null },
    baseline: { digest: 'd', kcm: kcmConfig('inTree'), controlPlaneNodes: spec.nodes.length },
    kubeadm: { configMap: 'absent', followsManifests: 'yes' },
    inventory: {
      workers: { total: 0, ready: 0, kubeletInTree: 0, kubeletExternal: 0, uninitialized: 0 },
      services: { loadBalancers: 0, pending: 0, ingressDigest: '' },
      nodes: { total: nodes.length, withoutProviderId: 0, digest: '' },
      persistentVolumes: { inTree: 0 },
      exceptions: [],
    },
    ...base,
  };
}

function nodeOf(spec: ClusterSpec, { kcm, ccm }: NodeSpec, index: number): ControlPlaneNode {
  const name = `cp-${String(index + 1)}`;
  const kcmSlot = slotOf(spec, 'kcm', index, kcm === 'none' ? null : kcmConfig(kcm));
  const ccmSlot = slotOf(spec, 'ccm', index, ccm === 'none' ? null : ccmConfig(ccm));
  return {
    name,
    hostname: name,
    side: sideOf(kcmSlot, ccmSlot),
    kubeletVersion: '1.29.15',
    kubeletCloudProvider: 'inTree',
    ready: 'yes',
    cordoned: false,
    providerId: `labcloud://${name}`,
    reachable: true,
    kcm: kcmSlot,
    ccm: ccmSlot,
  };
}

function slotOf(
  spec: ClusterSpec,
  manager: Manager,
  index: number,
  config: ManagerConfig | null,
): ManagerSlot {
  if (config === null) return { manifest: { state: 'absent' }, processes: [] };
  return {
    manifest: {
      state: 'present',
      source: 'staticPod',
      hash: `${manager}-${String(index)}`,
      config,
    },
    processes: [processOf(spec, manager, index, config)],
  };
}

function processOf(
  spec: ClusterSpec,
  manager: Manager,
  index: number,
  config: ManagerConfig,
): ManagerProcess {
  const leads = (manager === 'kcm' ? spec.kcmLeader : spec.ccmLeader) === index;
  const holdsMigration = isMigrationHolder(spec, manager, index);
  const tries = leads && config.leaderMigration.kind === 'on' ? 'waiting' : 'notTried';
  return {
    pid: 100 + index * 2 + (manager === 'ccm' ? 1 : 0),
    startedAtMs: 1000,
    podUid: null,
    config,
    liveness: 'running',
    restarts: 0,
    identity: leads || holdsMigration ? identityOf(manager, index) : null,
    locks: {
      main: leads ? 'held' : 'waiting',
      migration: (holdsMigration ? 'held' : tries) satisfies LockRole,
    },
  };
}

function isMigrationHolder({ migration }: ClusterSpec, manager: Manager, index: number): boolean {
  return typeof migration === 'object' && migration.manager === manager && migration.node === index;
}

function identityOf(manager: Manager, index: number): string {
  return `cp-${String(index + 1)}_${manager}`;
}

function leasesOf(spec: ClusterSpec): readonly LeaseObservation[] {
  const { migration } = spec;
  const migrationHolder =
    typeof migration === 'object' ? identityOf(migration.manager, migration.node) : migration;
  return [
    leaseOf(CCM_MAIN, holderOf('ccm', spec.ccmLeader)),
    leaseOf(MIGRATION, migrationHolder),
    leaseOf(KCM_MAIN, holderOf('kcm', spec.kcmLeader)),
  ].flatMap((lease) => (lease === null ? [] : [lease]));
}

function holderOf(manager: Manager, holder: HolderSpec): string {
  return typeof holder === 'number' ? identityOf(manager, holder) : holder;
}

function leaseOf(ref: LeaseRef, holder: string): LeaseObservation | null {
  if (holder === 'free') return null;
  const dead = holder === 'dead';
  return {
    ...ref,
    holder: dead ? 'gone_1' : holder,
    resourceVersion: '1',
    leaseDurationSeconds: 15,
    transitions: 0,
    freshness: dead ? { kind: 'silent', sinceMs: 1 } : { kind: 'advancing' },
    holderState: dead ? 'dead' : 'alive',
  };
}
