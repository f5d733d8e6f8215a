import { digestJson } from '../digest.js';
import { clusterOwner } from '../facts/owners.js';
import { nextStep } from '../next-step.js';
import type { ClusterObservation, Inventory } from '../observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { Decision, Step } from '../step.js';
import { EFFECT_VERSIONS } from '../step.js';
import { describeCluster } from './cluster-words.js';
import { attemptDigest, decisiveDigest } from './decisive-digest.js';
import { effectivePolicy } from './effective-policy.js';
import { reversibilityOf } from './reversibility.js';
import type { DecisionRequest, NextMove, PlannedStep, RunDecision } from './run-decision.js';
import { comesAfterProof, wantsApproval } from './stops.js';
import { HANDOVER_APPROVAL, waivableBy } from './waivable.js';

/** The rules as this function calls them; tests script their own. */
export type Rules = typeof nextStep;

/**
 * Decides what a run does next. Pure: the same observation, policy and request give the same decision, so an audit can
 * recompute it from the record.
 */
export function decideRun(
  observation: ClusterObservation,
  policy: MigrationPolicy,
  request: DecisionRequest,
  rules: Rules = nextStep,
): RunDecision {
  const { target, since, revision, waivers, approvals } = request;
  const effective = effectivePolicy(policy, request, observation);
  const decision = rules(observation, target, effective);
  const context: Context = { observation, policy, request };
  const verification = verify(since ?? observation.inventory);
  return {
    revision,
    inputs: digestJson({ target, policy, waivers, approvals }),
    state: decisiveDigest(observation),
    signature: signatureOf(decision),
    next: nextMove(decision, context),
    proof: planned(verification, context),
    reversibility: reversibilityOf(rules(observation, 'kcm', effective), observation),
    owner: clusterOwner(observation, policy.lock.controllers),
    cluster: describeCluster(observation, policy),
  };
}

interface Context {
  readonly observation: ClusterObservation;
  readonly policy: MigrationPolicy;
  readonly request: DecisionRequest;
}

/** Digits in finding texts are dropped: they change while the reason stays the same. */
function signatureOf(decision: Decision): string {
  switch (decision.kind) {
    case 'step':
      return digestJson(['step', stepKey(decision.step)]);
    case 'done':
      return 'done';
    case 'blocked':
      return digestJson(['blocked', decision.findings.map(({ code, subject }) => [code, subject])]);
  }
}

function nextMove(decision: Decision, context: Context): NextMove {
  switch (decision.kind) {
    case 'step':
      return { kind: 'step', planned: planned(decision.step, context) };
    case 'done':
      return { kind: 'done' };
    case 'blocked': {
      const { findings } = decision;
      return { kind: 'blocked', findings, waivable: waivableOf(findings.map(({ code }) => code)) };
    }
  }
}

function waivableOf(codes: readonly string[]): Readonly<Record<string, 'approve' | 'skip'>> {
  const rows = codes.flatMap((code) => {
    const word = waivableBy(code);
    return word === 'never' ? [] : [[code, word] as const];
  });
  return Object.fromEntries(rows);
}

function planned(step: Step, context: Context): PlannedStep {
  const { observation, request } = context;
  const key = stepKey(step);
  return {
    step,
    effectVersion: EFFECT_VERSIONS[step.effect.kind],
    key,
    attempt: attemptDigest(key, step.effect, observation),
    approval: needsApproval(step, context) ? HANDOVER_APPROVAL : null,
    afterProof: comesAfterProof(step, request.target),
    keepsProof: step.phase === 'disableLeaderMigration' || step.phase === 'verify',
    recovers: step.name === 'finishManifest',
  };
}

/** Identifies what a step does, regardless of its stated reason. */
function stepKey({ name, effect }: Step): string {
  return digestJson([name, effect]);
}

function needsApproval(step: Step, { policy, request }: Context): boolean {
  if (request.approvals.includes(HANDOVER_APPROVAL)) return false;
  return wantsApproval(step, policy, request.target);
}

function verify(since: Inventory): Step {
  return {
    name: 'verify',
    phase: 'verify',
    why: 'load balancers, Nodes and providerIDs must be what they were at the start',
    effect: { kind: 'verify', since },
    cures: [],
  };
}
