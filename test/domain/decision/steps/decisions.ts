import { nextStep } from '../../../../domain/decision/next-step.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
} from '../../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import type { Decision } from '../../../../domain/decision/step.js';
import type { Target } from '../../../../domain/vocabulary.js';
import { policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';

/** Three nodes whose KCMs are external; the CCM of the second runs the cloud controllers. */
export const MIGRATED: ClusterSpec = {
  nodes: [
    { kcm: 'external', ccm: 'on' },
    { kcm: 'external', ccm: 'on' },
    { kcm: 'external', ccm: 'on' },
  ],
  kcmLeader: 0,
  ccmLeader: 1,
  migration: { manager: 'ccm', node: 1 },
  granted: true,
};

/** One named decision: what is observed, the target (in place, to `ccm` by default), and the answer. */
export interface DecisionRow {
  readonly name: string;
  readonly observation: ClusterObservation;
  readonly target?: Target;
  readonly policy?: MigrationPolicy;
  readonly expected: string;
}

export function decisionOf({ observation, target, policy }: DecisionRow): string {
  return said(nextStep(observation, target ?? 'ccm', policy ?? policyOf()));
}

/** A decision as short text: `done`, the codes of what blocks it, or the step and what it acts on. */
function said(decision: Decision): string {
  if (decision.kind === 'blocked') return decision.findings.map(({ code }) => code).join(' ');
  if (decision.kind === 'done') return 'done';
  const { effect, name } = decision.step;
  switch (effect.kind) {
    case 'changeManager':
    case 'finishManifest':
    case 'endPausedManager':
    case 'removeMachine':
      return `${name} ${effect.node}`;
    case 'addMachine':
      return `${name} ${effect.machine}`;
    case 'releaseLease':
      return `${name} ${effect.lease.name}`;
    case 'awaitElection':
      return `${name} ${effect.until}`;
    case 'switchKubelets':
      return `${name} ${effect.to}`;
    case 'setAccess':
      return `${name} ${effect.access}`;
    case 'recordBaseline':
    case 'deleteMigrationLease':
    case 'removeCcmWorkload':
    case 'verify':
    case 'probeBalancer':
      return name;
  }
}

/** The same cluster with one node changed, by its index. */
export function withNode(
  observation: ClusterObservation,
  place: number,
  change: (node: ControlPlaneNode) => Partial<ControlPlaneNode>,
): ClusterObservation {
  return {
    ...observation,
    nodes: observation.nodes.map((node, index) =>
      index === place ? { ...node, ...change(node) } : node,
    ),
  };
}
