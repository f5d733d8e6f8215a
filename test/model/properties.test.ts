import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClusterObservation, ManagerSlot } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager } from '../../domain/vocabulary.js';
import {
  clusterOf,
  policyOf,
  withWord,
  type ClusterSpec,
  type NodeSpec,
} from '../support/cluster-builder.js';
import { ccmConfig, kcmConfig } from '../support/manager-configs.js';
import { walk } from './random-walk.js';

const nodeSpec: fc.Arbitrary<NodeSpec> = fc.record({
  kcm: fc.constantFrom('inTree', 'inTreeWrong', 'inTreeLm', 'external', 'externalLm', 'none'),
  ccm: fc.constantFrom('none', 'off', 'on'),
});

const policy: fc.Arbitrary<MigrationPolicy> = fc
  .record({
    strategy: fc.constantFrom('leaderMigration', 'gap'),
    nodes: fc.record({
      forward: fc.constantFrom('inPlace', 'replace'),
      rollback: fc.constantFrom('inPlace', 'replace'),
    }),
    disableLeaderMigration: fc.constantFrom('never', 'afterSoak'),
    leaderMigrationAfterRollback: fc.constantFrom('keep', 'off'),
    rollWorkers: fc.record({ enabled: fc.boolean(), batchSize: fc.constant(2) }),
  })
  .map((changes) => withWord(policyOf(changes)));

/** Leaders among the existing processes, chosen by number; a Lease may also have a dead holder or be free. */
function specOf(nodes: readonly NodeSpec[], picks: readonly number[]): ClusterSpec {
  const [kcmPick = 0, ccmPick = 0, lockPick = 0] = picks;
  const kcmLeader = leader(
    nodes.map(({ kcm }) => kcm !== 'none'),
    kcmPick,
  );
  const ccmLeader = leader(
    nodes.map(({ ccm }) => ccm !== 'none'),
    ccmPick,
  );
  const holders: readonly ClusterSpec['migration'][] = [
    'dead',
    'free',
    ...holder('kcm', kcmLeader, nodes),
    ...holder('ccm', ccmLeader, nodes),
  ];
  return { nodes, kcmLeader, ccmLeader, migration: holders[lockPick % holders.length] ?? 'free' };
}

const LOCKING: readonly string[] = ['inTreeLm', 'inTreeWrong', 'externalLm', 'on'];

/** A main leader with Leader Migration may hold the migration Lease too. */
function holder(
  manager: Manager,
  node: ClusterSpec['kcmLeader'],
  nodes: readonly NodeSpec[],
): readonly ClusterSpec['migration'][] {
  if (typeof node !== 'number') return [];
  return LOCKING.includes(nodes[node]?.[manager] ?? '') ? [{ manager, node }] : [];
}

function leader(present: readonly boolean[], pick: number): ClusterSpec['kcmLeader'] {
  const all = [
    ...present.flatMap((there, index) => (there ? [index] : [])),
    'dead',
    'free',
  ] as const;
  return all[pick % all.length] ?? 'free';
}

/** Some manifests are parked or were cut off half-way, with any successor. */
function disturbed(observation: ClusterObservation, kinds: readonly number[]): ClusterObservation {
  const states: readonly ManagerSlot['manifest'][] = [
    { state: 'parked', hash: 'p', config: kcmConfig('inTreeLm') },
    { state: 'interrupted', successorHash: 's', successor: kcmConfig('inTreeLm') },
    { state: 'interrupted', successorHash: 's', successor: kcmConfig('inTree') },
    { state: 'interrupted', successorHash: 's', successor: kcmConfig('external') },
  ];
  return {
    ...observation,
    nodes: observation.nodes.map((node, index) => {
      const kind = kinds[index] ?? 0;
      const manifest = states[kind % 12];
      if (manifest !== undefined && node.kcm.processes.length === 0) {
        return { ...node, kcm: { manifest, processes: [] } };
      }
      if (kind % 12 !== 11 || node.ccm.processes.length > 0) return node;
      const successor = ccmConfig(kind % 2 === 0 ? 'on' : 'off');
      return {
        ...node,
        ccm: { manifest: { state: 'interrupted', successorHash: 'c', successor }, processes: [] },
      };
    }),
  };
}

const cluster: fc.Arbitrary<ClusterObservation> = fc
  .record({
    nodes: fc.array(nodeSpec, { minLength: 1, maxLength: 5 }),
    picks: fc.array(fc.nat(20), { minLength: 3, maxLength: 3 }),
    kinds: fc.array(fc.nat(23), { minLength: 5, maxLength: 5 }),
    workers: fc.nat(3),
    wanted: fc.constantFrom(1, 3, 5),
    granted: fc.boolean(),
    ordered: fc.boolean(),
  })
  .map(({ nodes, picks, kinds, workers, wanted, granted, ordered }) => {
    const observation = disturbed(clusterOf({ ...specOf(nodes, picks), granted }), kinds);
    const counts = { total: workers, ready: workers, kubeletInTree: workers };
    return {
      ...observation,
      baseline: { digest: 'd', kcm: kcmConfig('inTree'), controlPlaneNodes: wanted },
      machinesOrdered: ordered
        ? [{ name: 'cp-9', side: 'target', state: 'booting', reason: '' } as const]
        : [],
      inventory: {
        ...observation.inventory,
        workers: { ...observation.inventory.workers, ...counts },
      },
    };
  });

const story = fc.record({
  start: cluster,
  policy,
  choices: fc.array(fc.nat(7), { minLength: 40, maxLength: 40 }),
  faults: fc.nat(2),
});

/** `npm test` runs the same stories each time; `npm run test:model` generates new ones. */
const SEED = process.env['CCM_TEST_MODEL'] === 'full' ? {} : { seed: 538534689 };

describe('from any cluster, whatever elections and crashes come between', () => {
  it.each(['ccm', 'kcm'] as const)('%s is reached without a second owner', (target) => {
    fc.assert(
      fc.property(story, ({ start, ...options }) => {
        const end = walk(start, { ...options, target });
        expect(end.kind === 'done' ? [] : [end.kind, ...end.trail]).toEqual([]);
      }),
      { numRuns: 4500, ...SEED },
    );
  });

  it('forward, back and forward again ends where forward ended', () => {
    fc.assert(
      fc.property(story, ({ start, ...options }) => {
        let state = start;
        for (const target of ['ccm', 'kcm', 'ccm'] as const) {
          const end = walk(state, { ...options, target });
          if (end.kind !== 'done') throw new Error([end.kind, ...end.trail].join('\n'));
          state = end.observation;
        }
        expect(state.nodes.every(({ side }) => side === 'target')).toBe(true);
      }),
      { numRuns: 1000, ...SEED },
    );
  });
});
