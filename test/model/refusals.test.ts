import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wantedConfig } from '../../domain/model/wanted-config.js';
import { nextStep } from '../../domain/decision/next-step.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { StepEffect } from '../../domain/decision/step.js';
import { policyOf } from '../support/cluster-builder.js';
import { effectOf, policy, RUNS, state, target } from './odd-clusters.js';

describe('outcomes that a step must prevent', () => {
  const machineSteps = (start: ClusterObservation, wanted: 'ccm' | 'kcm'): StepEffect | null => {
    const effect = effectOf(
      start,
      wanted,
      policyOf({ nodes: { forward: 'replace', rollback: 'replace' } }),
    );
    return effect?.kind === 'addMachine' || effect?.kind === 'removeMachine' ? effect : null;
  };

  it('no machine is added or removed where etcd cannot be read', () => {
    fc.assert(
      fc.property(state, target, (start, wanted) => {
        const blind = { ...start, etcd: { topology: 'unknown', members: [] } } as const;
        expect(machineSteps(blind, wanted)).toBeNull();
      }),
      RUNS,
    );
  });

  it('a machine is removed only if all that stay are Ready and healthy voters', () => {
    fc.assert(
      fc.property(
        state,
        target,
        fc.nat(2),
        fc.constantFrom('ready', 'healthy', 'voter'),
        (start, wanted, place, what) => {
          const observation: ClusterObservation = {
            ...start,
            nodes: start.nodes.map((node, index) =>
              index === place && what === 'ready' ? { ...node, ready: 'no' } : node,
            ),
            etcd: {
              topology: 'stacked',
              members: start.nodes.map(({ name }, index) => ({
                node: name,
                name,
                voter: index === place && what === 'voter' ? 'no' : 'yes',
                healthy: index === place && what === 'healthy' ? 'no' : 'yes',
                leader: false,
              })),
            },
          };
          const sick = start.nodes[place]?.name;
          const effect = machineSteps(observation, wanted);
          const allowed = effect?.kind === 'removeMachine' && effect.node === sick;
          expect(effect === null || sick === undefined || allowed).toBe(true);
        },
      ),
      RUNS,
    );
  });

  it('no manager starts that is newer than an API server it may reach', () => {
    const versions = fc.constantFrom('1.28.9', '1.29.15', '1.30.14', 'unheard-of');
    fc.assert(
      fc.property(state, policy, versions, (start, rules, oldest) => {
        const apiServers = { versions: [oldest, '1.30.14'], sharedAddress: 'yes' } as const;
        const effect = effectOf({ ...start, apiServers }, 'ccm', rules);
        if (effect?.kind !== 'changeManager') return;
        const { want } = effect;
        if (want.role === 'parked' || want.role === 'stopped') return;
        const decision = nextStep({ ...start, apiServers }, 'ccm', rules);
        if (decision.kind === 'step' && decision.step.phase === 'repair') return;
        const { version } = wantedConfig(want, start, rules);
        expect(oldest === '1.30.14' || version === '1.29.15').toBe(true);
      }),
      RUNS,
    );
  });

  it('no KCM loses its loops while volumes need them, except as a repair', () => {
    fc.assert(
      fc.property(state, policy, (start, rules) => {
        const persistentVolumes = { inTree: 1 };
        const observation = { ...start, inventory: { ...start.inventory, persistentVolumes } };
        const decision = nextStep(observation, 'ccm', rules);
        if (decision.kind !== 'step' || decision.step.phase === 'repair') return;
        const { effect } = decision.step;
        const external = effect.kind === 'changeManager' && effect.want.role === 'external';
        const joins = effect.kind === 'addMachine' && effect.side === 'target';
        expect(external || joins).toBe(false);
      }),
      RUNS,
    );
  });
});
