import fc from 'fast-check';
import { nextStep } from '../../domain/decision/next-step.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  ManagerConfig,
  ManagerProcess,
} from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { StepEffect } from '../../domain/decision/step.js';
import { policyOf } from '../support/cluster-builder.js';
import { someStartStates, startStates } from './start-states.js';

/** States of small clusters, with the CCM's access prepared. */
const STATES: readonly ClusterObservation[] = [
  ...startStates(1),
  ...someStartStates(2, 1),
  ...someStartStates(3, 9),
].map((state) => ({ ...state, access: { ...state.access, ccmAccess: 'present' } }));

export const state = fc.constantFrom(...STATES);
export const target = fc.constantFrom('ccm', 'kcm');
export const policy = fc
  .record({
    strategy: fc.constantFrom('leaderMigration', 'gap'),
    nodes: fc.record({
      forward: fc.constantFrom('inPlace', 'replace'),
      rollback: fc.constantFrom('inPlace', 'replace'),
    }),
  })
  .map((changes): MigrationPolicy => policyOf(changes));

export const RUNS = { numRuns: 1500, seed: 20261121 };

export type Change = (observation: ClusterObservation) => ClusterObservation;

export function firstNode(change: (node: ControlPlaneNode) => Partial<ControlPlaneNode>): Change {
  return (observation) => ({
    ...observation,
    nodes: observation.nodes.map((node, index) =>
      index === 0 ? { ...node, ...change(node) } : node,
    ),
  });
}

export function everyProcess(change: (process: ManagerProcess) => Partial<ManagerProcess>): Change {
  return (observation) => ({
    ...observation,
    nodes: observation.nodes.map((node) => {
      const [kcm, ccm] = [node.kcm, node.ccm].map(({ manifest, processes }) => ({
        manifest,
        processes: processes.map((process) => ({ ...process, ...change(process) })),
      }));
      return { ...node, kcm: kcm ?? node.kcm, ccm: ccm ?? node.ccm };
    }),
  });
}

/** The same with other settings of one manager wherever Leader Migration is on, running or to be started. */
export function settings(manager: 'kcm' | 'ccm', change: Partial<ManagerConfig>): Change {
  return (observation) => ({
    ...observation,
    nodes: observation.nodes.map((node) => {
      const { manifest, processes } = node[manager];
      const other = (config: ManagerConfig): ManagerConfig =>
        config.leaderMigration.kind === 'on' ? { ...config, ...change } : config;
      return {
        ...node,
        [manager]: {
          manifest:
            manifest.state === 'present'
              ? { ...manifest, config: other(manifest.config) }
              : manifest,
          processes: processes.map((process) => ({ ...process, config: other(process.config) })),
        },
      };
    }),
  });
}

/** The effect of the next step; null where there is none. */
export function effectOf(
  observation: ClusterObservation,
  wanted: 'ccm' | 'kcm',
  rules: MigrationPolicy,
): StepEffect | null {
  const decision = nextStep(observation, wanted, rules);
  return decision.kind === 'step' ? decision.step.effect : null;
}
