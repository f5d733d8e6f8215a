import { predictEffect } from './predict-effect.js';
import { settleElections } from './elections.js';
import { factsOf } from '../ownership/cluster-facts.js';
import { nextStep } from '../decision/next-step.js';
import type { ClusterObservation } from '../observation/observation.js';
import { waivableBy } from '../decision/waivers.js';
import type { Finding } from '../findings/finding.js';
import type { MigrationPolicy, Waiver } from '../policy.js';
import type { Decision, Step, StepEffect } from '../decision/step.js';
import { electionReached } from '../decision/steps/await-election.js';
import type { Target } from '../vocabulary.js';

/** What a run would do from here if nothing else happened, and how it would end. */
export interface PlanPreview {
  readonly steps: readonly PreviewedStep[];
  readonly ending: Decision;
}

export interface PreviewedStep {
  readonly step: Step;
  /** The cluster as it would look before the step. */
  readonly before: ClusterObservation;
}

/** Far above any real plan: 5 nodes and every optional phase need fewer than 60. */
const MOST_STEPS = 250;

/**
 * Iterates `nextStep` and the model of each step's effect, elections settled by name. Which node leads is a
 * guess: "leader last" names candidates, so a plan's digest leaves holders out.
 */
export function previewPlan(
  observation: ClusterObservation,
  target: Target,
  policy: MigrationPolicy,
): PlanPreview {
  const steps: PreviewedStep[] = [];
  let current = observation;
  while (steps.length < MOST_STEPS) {
    const decision = nextStep(current, target, policy);
    if (decision.kind !== 'step') return { steps, ending: decision };
    steps.push({ step: decision.step, before: current });
    current = settleElections(predictEffect(current, decision.step.effect, policy));
    if (waitsForEver(current, decision.step.effect, policy)) return { steps, ending: decision };
  }
  return { steps, ending: nextStep(current, target, policy) };
}

/** A preview past what another person has to approve: the run holds for it, and then goes on. */
export interface AskedPreview extends PlanPreview {
  readonly asked: readonly Finding[];
}

/** The same, as it goes on once others have approved what they may. */
export function previewApproved(
  observation: ClusterObservation,
  target: Target,
  policy: MigrationPolicy,
): AskedPreview {
  const asked: Finding[] = [];
  for (;;) {
    const given = asked.map(({ code }): Waiver => ({ code, ...ASSUMED }));
    const preview = previewPlan(observation, target, {
      ...policy,
      waivers: [...policy.waivers, ...given],
    });
    const { ending } = preview;
    const open = ending.kind === 'blocked' ? ending.findings : [];
    const isAsked = open.length > 0 && open.every(({ code }) => waivableBy(code) === 'approve');
    if (!isAsked || open.some(({ code }) => given.some((each) => each.code === code))) {
      return { ...preview, asked };
    }
    asked.push(...open);
  }
}

const ASSUMED = { observationDigest: '', actor: '', reason: 'assumed by the preview' } as const;

/** A wait that no start and no election of the model ends would be previewed forever. */
function waitsForEver(
  after: ClusterObservation,
  effect: StepEffect,
  policy: MigrationPolicy,
): boolean {
  return (
    effect.kind === 'awaitElection' && !electionReached(factsOf(after, 'ccm', policy), effect.until)
  );
}
