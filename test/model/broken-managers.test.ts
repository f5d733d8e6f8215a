import { describe, expect, it } from '@jest/globals';
import { runningProcesses } from '../../domain/ownership/owners.js';
import type { ClusterObservation, ManagerSlot } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager, Target } from '../../domain/vocabulary.js';
import { policyOf } from '../support/cluster-builder.js';
import { Explorer } from './explore.js';
import { someStartStates, startStates } from './start-states.js';

const IN_PLACE = {};
const REPLACE = { nodes: { forward: 'replace', rollback: 'replace' } } as const;
const SWITCHED_OFF = {
  disableLeaderMigration: 'afterSoak',
  leaderMigrationAfterRollback: 'off',
} as const;

interface Row {
  readonly broken: Manager;
  readonly target: Target;
  readonly policy: string;
  readonly changes: Partial<MigrationPolicy>;
}

const ROWS: readonly Row[] = [
  { broken: 'ccm', target: 'ccm', policy: 'in place', changes: IN_PLACE },
  { broken: 'ccm', target: 'ccm', policy: 'with replaced machines', changes: REPLACE },
  { broken: 'ccm', target: 'ccm', policy: 'switched off at the end', changes: SWITCHED_OFF },
  { broken: 'kcm', target: 'kcm', policy: 'in place', changes: IN_PLACE },
  { broken: 'kcm', target: 'kcm', policy: 'with replaced machines', changes: REPLACE },
  { broken: 'kcm', target: 'kcm', policy: 'switched off at the end', changes: SWITCHED_OFF },
];

/** All processes of a manager crash-loop, so that none of them acquires any Lease from now on. */
function breakAll(observation: ClusterObservation, manager: Manager): ClusterObservation {
  const brokenSlot = ({ manifest, processes }: ManagerSlot): ManagerSlot => ({
    manifest,
    processes: processes.map((process) => ({ ...process, liveness: 'crashLooping' })),
  });
  return {
    ...observation,
    nodes: observation.nodes.map((node) => ({ ...node, [manager]: brokenSlot(node[manager]) })),
  };
}

/** A crashing process may still be the recorded holder of a main Lease, but runs no cloud controller. */
function runsNothing(observation: ClusterObservation, manager: Manager): boolean {
  const running = runningProcesses(observation, 'service') ?? [];
  return running.every((placed) => placed.manager !== manager);
}

function* brokenClusters(manager: Manager): Generator<ClusterObservation> {
  for (const states of [startStates(1), someStartStates(2, 1), someStartStates(3, 9)]) {
    for (const state of states) {
      if (runsNothing(state, manager)) yield breakAll(state, manager);
    }
  }
}

describe('when one side cannot take over', () => {
  it.each(ROWS)(
    'the other side keeps running while every $broken crashes, $policy, target $target',
    ({ broken, target, changes }) => {
      const explorer = new Explorer({
        target,
        policy: policyOf(changes),
        faults: 0,
        mayWait: true,
      });
      for (const start of brokenClusters(broken)) explorer.walk(start);
      expect(explorer.visited).toBeGreaterThan(100);
      expect(explorer.violations.map(({ kind, trail }) => [kind, ...trail])).toEqual([]);
    },
    120_000,
  );
});
