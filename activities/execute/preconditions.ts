import { wantedConfig } from '../../domain/model/wanted-config.js';
import type { Manager } from '../../domain/vocabulary.js';
import { factsOf } from '../../domain/ownership/cluster-facts.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { hardGates } from '../../domain/gates/hard-gates.js';
import type { ClusterObservation, ManagerConfig } from '../../domain/observation/observation.js';
import type { Step, StepEffect } from '../../domain/decision/step.js';
import { clusterOwner } from '../../domain/ownership/owners.js';
import { mayStart } from '../../domain/decision/steps/repairs.js';
import { failure } from '../failures.js';
import type { StepSession } from './step-session.js';

/**
 * What must still hold when a step starts, judged on its own observation: the cluster may have changed since the decision.
 * `PreconditionFailed` makes the run decide again, `GateFailed` holds it.
 */
export function checkPreconditions({ input, before }: StepSession): void {
  const { effect } = input.step;
  const why = unmet(effect, before, input.policy);
  if (why !== null) {
    throw failure(
      'PreconditionFailed',
      `step ${input.step.name} no longer fits the cluster: ${why}. The run observes again`,
    );
  }
  const closed = closedGates(input.step, before, input.policy);
  if (closed.length > 0) {
    const seen = closed.map(({ code, gate, detail }) => `${code} ${gate}: ${detail}`).join('; ');
    throw failure(
      'GateFailed',
      `step ${input.step.name} must not start: ${seen}. Fix it, then \`ccm-migrate retry\``,
      { details: { verdicts: closed } },
    );
  }
}

type Policy = Parameters<typeof factsOf>[2];

/** Why an effect does not fit the current state; null when it does. */
function unmet(effect: StepEffect, observation: ClusterObservation, policy: Policy): string | null {
  switch (effect.kind) {
    case 'changeManager':
      return (
        nodeProblem(observation, effect.node) ??
        startProblem(startedBy(effect, observation, policy), observation, policy)
      );
    case 'finishManifest': {
      const node = observation.nodes.find(({ name }) => name === effect.node);
      const manifest = node?.[effect.manager].manifest;
      const successor = manifest?.state === 'interrupted' ? manifest.successor : null;
      return nodeProblem(observation, effect.node) ?? startProblem(successor, observation, policy);
    }
    case 'endPausedManager':
      if (policy.staleHolder !== 'kill') return 'its policy does not end paused managers';
      return nodeProblem(observation, effect.node);
    case 'probeBalancer':
      return probeProblem(effect.owner, observation, policy);
    case 'addMachine':
    case 'removeMachine':
    case 'releaseLease':
    case 'recordBaseline':
    case 'setAccess':
    case 'awaitElection':
    case 'switchKubelets':
    case 'deleteMigrationLease':
    case 'removeCcmWorkload':
    case 'verify':
      return null;
  }
}

/** A load balancer is neither made nor deleted while its controller has no owner, or two. */
function probeProblem(
  wanted: Manager,
  observation: ClusterObservation,
  policy: Policy,
): string | null {
  const owner = clusterOwner(observation, policy.lock.controllers);
  return owner === wanted ? null : `the cloud controllers belong to ${owner}, not to ${wanted}`;
}

function nodeProblem({ nodes }: ClusterObservation, name: string): string | null {
  const node = nodes.find((each) => each.name === name);
  if (node === undefined) return `node ${name} does not exist`;
  return node.reachable ? null : `node ${name} cannot be reached`;
}

function startedBy(
  { want }: Extract<StepEffect, { kind: 'changeManager' }>,
  observation: ClusterObservation,
  policy: Policy,
): ManagerConfig | null {
  if (want.role === 'parked' || want.role === 'stopped') return null;
  return wantedConfig(want, observation, policy);
}

/** A manager with cloud loops starts only where it cannot become a second owner (invariant I2). */
function startProblem(
  config: ManagerConfig | null,
  observation: ClusterObservation,
  policy: Policy,
): string | null {
  if (config === null || mayStart(factsOf(observation, 'ccm', policy), config)) return null;
  return `a ${config.manager} with these settings could become a second owner beside what runs now`;
}

/** Gates that guard every change. Many steps cure the health of their own subject, so it is not checked here. */
const GUARDING = new Set(['oneOwner', 'quorum', 'noPausedManager', 'nodesReady']);

/** Guarding gates that are not open and that the step does not cure. */
function closedGates(
  { effect, cures }: Pick<Step, 'effect' | 'cures'>,
  observation: ClusterObservation,
  policy: Policy,
): readonly GateVerdict[] {
  if (effect.kind === 'awaitElection' || effect.kind === 'verify') return [];
  const leaving = effect.kind === 'removeMachine' ? effect.node : null;
  const verdicts = hardGates(without(observation, leaving), {
    controllers: policy.lock.controllers,
    nodes: policy.nodes,
    orphanMs: 0,
    orphanBudgetMs: 0,
    inventory: null,
  });
  return verdicts.filter(
    ({ gate, code, verdict }) =>
      GUARDING.has(gate) &&
      verdict !== 'pass' &&
      !cures.includes(code) &&
      // A machine that cannot be read hides who owns; removing it, after proof, is the cure. It hides no other member of etcd.
      !(leaving !== null && verdict === 'error' && gate !== 'quorum'),
  );
}

/** The cluster without the machine to be removed: an unhealthy one is removed first. */
function without(observation: ClusterObservation, leaving: string | null): ClusterObservation {
  if (leaving === null) return observation;
  return {
    ...observation,
    nodes: observation.nodes.filter(({ name }) => name !== leaving),
    etcd: {
      ...observation.etcd,
      members: observation.etcd.members.filter(({ node }) => node !== leaving),
    },
  };
}
