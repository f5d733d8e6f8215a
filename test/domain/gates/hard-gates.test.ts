import { describe, expect, it } from '@jest/globals';
import type { GateReference } from '../../../domain/gates/hard-gates.js';
import { hardGates, notPassed } from '../../../domain/gates/hard-gates.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  Inventory,
  OrderedMachine,
} from '../../../domain/observation/observation.js';
import { clusterOf } from '../../support/cluster-builder.js';

const CLEAN = clusterOf({
  nodes: [
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'inTreeLm', ccm: 'none' },
  ],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: { manager: 'kcm', node: 0 },
});

const REFERENCE: GateReference = {
  controllers: ['service', 'route', 'cloud-node-lifecycle'],
  nodes: { forward: 'inPlace', rollback: 'inPlace' },
  orphanMs: 0,
  orphanBudgetMs: 20_000,
  inventory: null,
};

const failing = (observation: ClusterObservation, reference: Partial<GateReference> = {}) =>
  notPassed(hardGates(observation, { ...REFERENCE, ...reference })).map(
    ({ gate, verdict }) => `${gate} ${verdict}`,
  );

function withNode(index: number, change: Partial<ControlPlaneNode>): ClusterObservation {
  const nodes = CLEAN.nodes.map((node, at) => (at === index ? { ...node, ...change } : node));
  return { ...CLEAN, nodes };
}

function withLiveness(liveness: 'paused' | 'crashLooping'): ClusterObservation {
  const [node] = CLEAN.nodes;
  if (node === undefined) throw new Error('no node');
  const processes = node.kcm.processes.map((process) => ({ ...process, liveness }));
  return withNode(0, { kcm: { ...node.kcm, processes } });
}

const without = (name: string) => ({
  ...CLEAN,
  leases: CLEAN.leases.filter((lease) => lease.name !== name),
});

const member = (name: string, healthy: 'yes' | 'no' | 'unknown') =>
  ({ node: name, name, voter: 'yes', healthy, leader: false }) as const;

describe('hard gates, which cannot be skipped', () => {
  it('a second process that keeps running is a second owner, whatever the Leases contain', () => {
    expect(failing(CLEAN, { staleOwners: ['kcm:cp-1#7'] })).toEqual(['oneOwner fail']);
  });

  const unprotected = clusterOf({
    nodes: [
      { kcm: 'inTree', ccm: 'off' },
      { kcm: 'inTree', ccm: 'none' },
    ],
    kcmLeader: 0,
    ccmLeader: 0,
    migration: 'free',
  });
  /** A process runs that nothing known starts. */
  const hidden = (observation: ClusterObservation): ClusterObservation => ({
    ...observation,
    nodes: observation.nodes.map((node) => ({
      ...node,
      ccm: { ...node.ccm, manifest: { state: 'unknown', why: 'hidden' } },
    })),
  });
  const etcd = (...healths: readonly ('yes' | 'no' | 'unknown')[]): ClusterObservation => ({
    ...CLEAN,
    etcd: {
      topology: 'stacked',
      members: healths.map((healthy, index) => member(`cp-${String(index + 1)}`, healthy)),
    },
  });

  const replacing = { nodes: { forward: 'inPlace', rollback: 'replace' } } as const;
  const nowhere: ClusterObservation = { ...CLEAN, etcd: { topology: 'unknown', members: [] } };
  /** Two of three nodes show a pod of etcd; the third one's machine is in this state. */
  const onItsWay = (state: OrderedMachine['state']): ClusterObservation => ({
    ...etcd('yes', 'yes'),
    machinesOrdered: [{ name: 'cp-3', side: 'target', state, reason: '' }],
  });

  it.each([
    ['a healthy cluster', CLEAN, {}, []],
    ['two owners', unprotected, {}, ['oneOwner fail']],
    ['two owners, and more hidden', hidden(unprotected), {}, ['oneOwner fail', 'someOwner error']],
    ['one owner, and more hidden', hidden(CLEAN), {}, ['oneOwner error', 'someOwner error']],
    ['no owner, within the budget', without('cloud-provider-extraction-migration'), {}, []],
    [
      'no owner, beyond the budget',
      without('cloud-provider-extraction-migration'),
      { orphanMs: 20_001 },
      ['someOwner fail'],
    ],
    [
      'a node that cannot be read',
      withNode(1, { reachable: false }),
      {},
      ['oneOwner error', 'someOwner error', 'nodesReady error'],
    ],
    ['a node that is not Ready', withNode(1, { ready: 'no' }), {}, ['nodesReady fail']],
    ['readiness unknown', withNode(1, { ready: 'unknown' }), {}, ['nodesReady error']],
    ['a paused manager', withLiveness('paused'), {}, ['noPausedManager fail']],
    ['a manager that crash-loops', withLiveness('crashLooping'), {}, ['noCrashLoop fail']],
    ['one unhealthy etcd member of three', etcd('yes', 'no', 'yes'), {}, []],
    ['two unhealthy etcd members of three', etcd('yes', 'no', 'no'), {}, ['quorum fail']],
    ['an etcd member of unknown health', etcd('yes', 'unknown', 'yes'), {}, ['quorum error']],
    ['one node without a pod of etcd', etcd('yes', 'yes'), {}, ['quorum error']],
    ['two nodes without a pod of etcd', etcd('yes'), {}, ['quorum error']],
    ['a stacked etcd of which nothing is seen', etcd(), {}, ['quorum error']],
    ['a machine that joins, without a pod of etcd yet', onItsWay('booting'), {}, []],
    ['a machine that leaves, its member first', onItsWay('deleting'), {}, []],
    ['a machine that failed, without a pod', onItsWay('failed'), {}, ['quorum error']],
    ['an unknown etcd where machines are replaced', nowhere, replacing, ['quorum error']],
    ['an unknown etcd where nodes stay', nowhere, {}, []],
    ['an external etcd where machines are replaced', CLEAN, replacing, []],
  ] as const)('hard gates judge %s', (_name, observation, reference, expected) => {
    expect(failing(observation, reference)).toEqual(expected);
  });

  const away = (count: number): ClusterObservation => ({
    ...CLEAN,
    nodes: CLEAN.nodes.map((node, at) => (at < count ? { ...node, ready: 'no' } : node)),
  });
  const machines = (
    ...states: readonly OrderedMachine['state'][]
  ): Pick<ClusterObservation, 'machinesOrdered'> => ({
    machinesOrdered: states.map((state, at) => ({
      ...{ name: CLEAN.nodes[at]?.name ?? '', side: 'source', state, reason: '' },
    })),
  });

  it.each([
    ['none of which is on purpose', 2, [], ['quorum fail', 'nodesReady fail']],
    ['one of which is being deleted', 2, ['deleting'], ['nodesReady fail']],
    ['the only one of which boots', 1, ['booting'], []],
    ['the only one of which was ordered', 1, ['ordered'], []],
    ['the only one of which has failed', 1, ['failed'], ['nodesReady fail']],
    ['both of which have failed', 2, ['failed', 'failed'], ['quorum fail', 'nodesReady fail']],
    ['one more than a run moves', 2, ['booting', 'deleting'], ['nodesReady fail']],
    [
      'two more than a run moves',
      3,
      ['booting', 'deleting', 'deleting'],
      ['quorum fail', 'nodesReady fail'],
    ],
  ] as const)(
    'a run moves one machine at a time, and all other nodes count: %s',
    (_name, count, states, expected) => {
      expect(failing({ ...away(count), ...machines(...states) })).toEqual(expected);
    },
  );

  it('a machine that joins and is Ready already is no reason to pass over one that leaves', () => {
    const nodes = CLEAN.nodes.map((node, at) =>
      at === 1 ? { ...node, ready: 'no' as const } : node,
    );
    expect(failing({ ...CLEAN, nodes, ...machines('booting', 'deleting') })).toEqual([]);
  });

  it('a machine that is Ready and cannot be read yet is that one', () => {
    const hidden = { ...withNode(0, { reachable: false }), ...machines('booting') };
    expect(failing(hidden)).toEqual(['oneOwner error', 'someOwner error']);
  });

  it.each([
    ['the same', {}, []],
    [
      'a user made another Service',
      { services: { loadBalancers: 3, pending: 0, ingressDigest: 'b' } },
      [],
    ],
    [
      'an address changed',
      { services: { loadBalancers: 2, pending: 0, ingressDigest: 'b' } },
      ['addressesKept fail'],
    ],
    [
      'an address was lost',
      { services: { loadBalancers: 2, pending: 1, ingressDigest: 'b' } },
      ['addressesKept fail'],
    ],
    [
      'a worker is gone',
      { workers: { total: 1, ready: 1, kubeletInTree: 1, kubeletExternal: 0, uninitialized: 0 } },
      ['nodesKept fail'],
    ],
  ] as const)('hard gates compare the inventory where required: %s', (_name, change, expected) => {
    const inventory: Inventory = {
      ...CLEAN.inventory,
      workers: { total: 2, ready: 2, kubeletInTree: 2, kubeletExternal: 0, uninitialized: 0 },
      services: { loadBalancers: 2, pending: 0, ingressDigest: 'a' },
    };
    const now = { ...CLEAN, inventory: { ...inventory, ...change } };
    expect(failing(now, { inventory: { inventory, loadBalancers: null } })).toEqual(expected);
  });
});
