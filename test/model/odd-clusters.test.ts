import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { electionMoves } from '../../domain/model/elections.js';
import { factsOf } from '../../domain/ownership/cluster-facts.js';
import { clusterOwner, managerProcesses } from '../../domain/ownership/owners.js';
import { standsBy } from '../../domain/ownership/protection.js';
import { nextStep } from '../../domain/decision/next-step.js';
import type { ClusterObservation, ManagerConfig } from '../../domain/observation/observation.js';
import { policyOf } from '../support/cluster-builder.js';
import { MIGRATION } from '../support/manager-configs.js';
import { mostOwners, needsRepair } from './judgements.js';
import {
  effectOf,
  everyProcess,
  firstNode,
  policy,
  RUNS,
  settings,
  state,
  target,
  type Change,
} from './odd-clusters.js';
import { Outcomes } from './outcomes.js';

describe('a cluster that cannot be read', () => {
  it.each<{ what: string; hide: Change; concerns: (state: ClusterObservation) => boolean }>([
    {
      what: 'a node out of reach',
      hide: firstNode(() => ({ reachable: false })),
      concerns: () => true,
    },
    {
      what: 'a manifest that cannot be parsed',
      hide: firstNode(({ ccm }) => ({ ccm: { ...ccm, manifest: { state: 'unknown', why: 'x' } } })),
      concerns: () => true,
    },
    {
      what: 'a process that is stopped and may wake',
      hide: everyProcess(() => ({ liveness: 'paused' })),
      concerns: (observation) => managerProcesses(observation).length > 0,
    },
    {
      what: 'holders that are unknown',
      hide: (observation) => ({
        ...observation,
        leases: observation.leases.map((lease) => ({ ...lease, holderState: 'unknown' })),
      }),
      concerns: (observation) =>
        managerProcesses(observation).some(({ process }) => process.config.cloudLoops),
    },
  ])('gets no step because of $what', ({ hide, concerns }) => {
    fc.assert(
      fc.property(state.filter(concerns), target, policy, (start, wanted, rules) => {
        expect(nextStep(hide(start), wanted, rules).kind).toBe('blocked');
      }),
      RUNS,
    );
  });

  it('settings that cannot be read are never assumed safe: no election makes a second owner', () => {
    const unreadable = { leaderMigration: { kind: 'unreadable', why: 'changed' } } as const;
    fc.assert(
      fc.property(state, fc.constantFrom('kcm', 'ccm'), (start, manager) => {
        const odd = settings(manager, unreadable)(start);
        if (needsRepair(odd, { target: 'ccm', policy: policyOf() })) return;
        if (clusterOwner(odd, policyOf().lock.controllers) === 'unknown') return;
        const { presentCcms, inTree } = factsOf(odd, 'ccm', policyOf());
        if (presentCcms.length === 0 || inTree.length === 0) return;
        expect([...new Outcomes(policyOf()).of(odd)]).not.toContain('unknown');
      }),
      RUNS,
    );
  });
});

describe('managers with odd settings', () => {
  it.each<{ what: string; change: Partial<ManagerConfig> }>([
    { what: 'no leader election', change: { leaderElect: false } },
    {
      what: 'another migration lock',
      change: {
        leaderMigration: {
          kind: 'on',
          lock: { namespace: 'kube-system', name: 'another' },
          dispositions: {
            service: 'migrated',
            route: 'migrated',
            'cloud-node-lifecycle': 'migrated',
            nodeipam: 'nonMigrated',
          },
          configHash: 'another',
        },
      },
    },
  ])('a manager with $what is repaired before an election can make two owners', ({ change }) => {
    fc.assert(
      fc.property(state, fc.constantFrom('kcm', 'ccm'), (start, manager) => {
        const odd = settings(manager, change)(start);
        if (needsRepair(odd, { target: 'ccm', policy: policyOf() })) return;
        const { presentCcms, inTree } = factsOf(odd, 'ccm', policyOf());
        if (presentCcms.length === 0 || inTree.length === 0) return;
        expect([...new Outcomes(policyOf()).of(odd)]).not.toContain('both');
      }),
      RUNS,
    );
  });

  it('a KCM that never tries the migration lock is not waited for', () => {
    fc.assert(
      fc.property(state, (start) => {
        const odd = settings('kcm', { contendsForMigrationLock: false })(start);
        const effect = effectOf(odd, 'ccm', policyOf());
        const { inTree } = factsOf(odd, 'ccm', policyOf());
        if (effect?.kind !== 'awaitElection' || inTree.length === 0) return;
        expect(electionMoves(odd)).not.toEqual([]);
      }),
      RUNS,
    );
  });

  it('a standby CCM would acquire the migration lock if it became free', () => {
    const odd: readonly Change[] = [
      everyProcess(() => ({ liveness: 'crashLooping' })),
      everyProcess(() => ({ identity: null })),
      settings('kcm', { contendsForMigrationLock: false }),
      (observation) => ({
        ...observation,
        access: { ...observation.access, mayUseMigrationLease: { kcm: 'no', ccm: 'no' } },
      }),
      (observation) => observation,
    ];
    fc.assert(
      fc.property(state, fc.constantFrom(...odd), (start, change) => {
        const observation = change(start);
        const freed = {
          ...observation,
          leases: observation.leases.filter(({ name }) => name !== MIGRATION.name),
        };
        const takers = electionMoves(freed).filter(({ lock }) => lock === 'migration');
        const standing = managerProcesses(observation).filter((placed) =>
          standsBy(observation, placed, policyOf()),
        );
        for (const { process } of standing) {
          expect(takers.some(({ placed }) => placed.process.pid === process.pid)).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('two owners are never reported as done, whichever they are', () => {
    fc.assert(
      fc.property(state, target, policy, (start, wanted, rules) => {
        const odd = everyProcess(({ config }) => ({ config: { ...config, leaderElect: false } }))(
          start,
        );
        if (mostOwners(odd) < 2) return;
        expect(nextStep(odd, wanted, rules).kind).not.toBe('done');
      }),
      RUNS,
    );
  });
});
