import { describe, expect, it } from '@jest/globals';
import { afterAWhile } from '../../../domain/model/elections.js';
import type {
  ClusterObservation,
  ManagerProcess,
  ManagerSlot,
} from '../../../domain/observation/observation.js';
import { clusterOf } from '../../support/cluster-builder.js';
import { kcmConfig } from '../../support/manager-configs.js';

const JUST_LEADS: Partial<ManagerProcess> = { locks: { main: 'held', migration: 'notTried' } };

function oneKcm(change: Partial<ManagerProcess>): ClusterObservation {
  const observation = clusterOf({
    nodes: [{ kcm: 'inTreeLm', ccm: 'none' }],
    kcmLeader: 0,
    ccmLeader: 'free',
    migration: 'free',
    granted: true,
  });
  const nodes = observation.nodes.map((node) => ({
    ...node,
    kcm: { ...node.kcm, processes: node.kcm.processes.map((one) => ({ ...one, ...change })) },
  }));
  return { ...observation, nodes };
}

const withManifest = (manifest: ManagerSlot['manifest']): ClusterObservation => {
  const observation = oneKcm({});
  return {
    ...observation,
    nodes: observation.nodes.map((node) => ({ ...node, kcm: { ...node.kcm, manifest } })),
  };
};

describe('after some time', () => {
  it.each<ManagerSlot['manifest']>([
    { state: 'parked', hash: 'p', config: kcmConfig('inTreeLm') },
    { state: 'interrupted', successorHash: 's', successor: kcmConfig('external') },
  ])('a process whose manifest is in state $state has ended', (manifest) => {
    const { nodes, leases } = afterAWhile(withManifest(manifest));
    expect(nodes.flatMap(({ kcm }) => kcm.processes)).toEqual([]);
    expect(leases.map(({ holderState }) => holderState)).toEqual(['dead']);
  });

  it.each([
    { name: 'a process that has just won its main lock', change: JUST_LEADS, migration: 'waiting' },
    {
      name: 'a process that waits for its main lock',
      change: { locks: { main: 'waiting', migration: 'notTried' } },
      migration: 'notTried',
    },
    {
      name: 'a stopped process',
      change: { ...JUST_LEADS, liveness: 'paused' },
      migration: 'notTried',
    },
    {
      name: 'a process without Leader Migration',
      change: { ...JUST_LEADS, config: kcmConfig('inTree') },
      migration: 'notTried',
    },
    {
      name: 'its holder',
      change: { locks: { main: 'held', migration: 'held' } },
      migration: 'held',
    },
  ] as const)('the migration lock is $migration for $name', ({ change, migration }) => {
    const [node] = afterAWhile(oneKcm(change)).nodes;
    expect(node?.kcm.processes.map(({ locks }) => locks.migration)).toEqual([migration]);
  });
});
