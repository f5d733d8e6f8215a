import { describe, expect, it } from '@jest/globals';
import { elect, electionMoves, settleElections } from '../../../domain/model/elections.js';
import { clusterOwner } from '../../../domain/ownership/owners.js';
import type {
  ClusterObservation,
  ManagerProcess,
} from '../../../domain/observation/observation.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../support/cluster-builder.js';

const FREE: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'inTreeLm', ccm: 'none' },
  ],
  kcmLeader: 'free',
  ccmLeader: 'free',
  migration: 'free',
  granted: true,
};

function each(
  observation: ClusterObservation,
  change: (process: ManagerProcess, place: number) => readonly ManagerProcess[],
): ClusterObservation {
  const nodes = observation.nodes.map((node, place) => ({
    ...node,
    kcm: { ...node.kcm, processes: node.kcm.processes.flatMap((one) => change(one, place)) },
  }));
  return { ...observation, nodes };
}

const candidates = (observation: ClusterObservation): readonly string[] =>
  electionMoves(observation).map(({ placed, lock }) => `${placed.node.name} ${lock}`);

describe('elections', () => {
  it.each([
    { name: 'any that runs', change: {}, who: ['cp-1 main', 'cp-2 main'] },
    { name: 'none that crashes', change: { liveness: 'crashLooping' }, who: ['cp-2 main'] },
    { name: 'none that is stopped', change: { liveness: 'paused' }, who: ['cp-2 main'] },
  ] as const)('a main lock may go to $name', ({ change, who }) => {
    const observation = each(clusterOf(FREE), (one, place) => [
      place === 0 ? { ...one, ...change } : one,
    ]);
    expect(candidates(observation)).toEqual(who);
  });

  it('a process without leader election takes part in none', () => {
    const observation = each(clusterOf(FREE), (one) => [
      { ...one, config: { ...one.config, leaderElect: false } },
    ]);
    expect(candidates(observation)).toEqual([]);
  });

  it('the migration lock goes only to processes that are authorised and try it', () => {
    const led = clusterOf({ ...FREE, kcmLeader: 0 });
    expect(candidates(led)).toEqual(['cp-1 migration']);
    expect(candidates(clusterOf({ ...FREE, kcmLeader: 0, granted: false }))).toEqual([]);
    const mute = each(led, (one) => [
      { ...one, config: { ...one.config, contendsForMigrationLock: false } },
    ]);
    expect(candidates(mute)).toEqual([]);
  });

  it('of two processes in one place only the winner holds, under the name of its host', () => {
    const twice = each(clusterOf(FREE), (one, place) =>
      place === 0 ? [one, { ...one, pid: one.pid + 1 }] : [],
    );
    const unnamed = { ...twice, nodes: twice.nodes.map((node) => ({ ...node, hostname: null })) };
    const [, second] = electionMoves(unnamed);
    if (second === undefined) throw new Error('two candidates expected');
    const after = elect(unnamed, second);
    expect(after.nodes[0]?.kcm.processes.map(({ locks }) => locks.main)).toEqual([
      'waiting',
      'held',
    ]);
    expect(after.leases.map(({ holder }) => holder)).toEqual(['cp-1_101']);
  });

  it('settled elections give both locks to the first candidate by name', () => {
    const after = settleElections(clusterOf(FREE));
    expect(clusterOwner(after, policyOf().lock.controllers)).toBe('kcm');
    expect(after.nodes[0]?.kcm.processes[0]?.locks).toEqual({ main: 'held', migration: 'held' });
  });
});
