import { digestJson } from '../digest.js';
import type { GateVerdict } from '../gates.js';
import type { ClusterObservation, Inventory } from '../observation.js';
import type { Decision, Step } from '../step.js';
import { effectivePolicy } from './effective-policy.js';
import { finishDone } from './finish.js';
import { decisionDigest } from './observation-digest.js';
import { approvalFindings, gateFindings, repeatFindings } from './run-findings.js';
import type { RunRules } from './run-rules.js';
import type { RunState, Transition, Trouble } from './run-state.js';
import { turnTo } from './turn.js';
import { HANDOVER_APPROVAL } from './waivable.js';

/** How often one decision is carried out, or one step may fail, before a person has to look. */
export const MAX_TRIES = 4;

export type Decided =
  | { readonly kind: 'transition'; readonly transition: Transition }
  /** Policy turned the run around. */
  | { readonly kind: 'turned'; readonly state: RunState }
  | { readonly kind: 'soak' }
  | { readonly kind: 'held'; readonly trouble: Trouble };

/** The next move from a fresh look, with gates, approvals and soaks in front of it. */
export function decide(state: RunState, observation: ClusterObservation, rules: RunRules): Decided {
  const policy = effectivePolicy(state, observation);
  const decision = rules.nextStep(observation, state.target, policy);
  const [first, ...others] = uncured(state, decision);
  if (first !== undefined) return onBreach(state, [first, ...others]);
  switch (decision.kind) {
    case 'blocked':
      return { kind: 'held', trouble: { kind: 'blocked', findings: decision.findings } };
    case 'done':
      return (
        (state.steps.length > 0 ? proofDue(state, observation) : null) ?? {
          kind: 'transition',
          transition: finishDone({ ...state, trouble: null }, rules),
        }
      );
    case 'step':
      return guardStep(state, decision.step, observation);
  }
}

/** Carries out a step, unless it was tried too often since anybody looked. */
export function runStep(state: RunState, step: Step, observation: ClusterObservation): Transition {
  const key = stepKey(step);
  const attempt = digestJson([key, decisionDigest(observation)]);
  const tries = state.tries[attempt] ?? 0;
  const failures = state.failures.step === key ? state.failures.count : 0;
  if (tries >= MAX_TRIES || failures >= MAX_TRIES) {
    const findings = repeatFindings(step, Math.max(tries, failures), state.lastFailure);
    return {
      state: { ...state, trouble: { kind: 'repeats', findings }, activity: { kind: 'held' } },
      command: { kind: 'awaitCommand' },
    };
  }
  return {
    state: {
      ...state,
      trouble: state.recovering ? state.trouble : null,
      waits: 0,
      tries: { ...state.tries, [attempt]: tries + 1 },
      activity: { kind: 'stepping', step },
    },
    command: { kind: 'runStep', step },
  };
}

/** Names what a step does, whatever the reason it gives. */
export function stepKey({ name, effect }: Step): string {
  return digestJson([name, effect]);
}

function guardStep(state: RunState, step: Step, observation: ClusterObservation): Decided {
  const proof = comesAfterProof(state, step) ? proofDue(state, observation) : null;
  if (proof !== null) return proof;
  if (needsApproval(state, step)) {
    const findings = approvalFindings(step);
    return { kind: 'held', trouble: { kind: 'approval', what: HANDOVER_APPROVAL, findings } };
  }
  return { kind: 'transition', transition: runStep(state, step, observation) };
}

/** What closes the way back, or goes to the workers, waits until the control plane was proven. */
function comesAfterProof({ target }: RunState, { phase }: Step): boolean {
  return phase === 'disableLeaderMigration' || (phase === 'rollWorkers' && target === 'ccm');
}

/** First the soak, then the comparison with the start; null when both were had. */
function proofDue(state: RunState, observation: ClusterObservation): Decided | null {
  if (soakIsDue(state)) return { kind: 'soak' };
  if (state.verified || state.since === null) return null;
  const step = verification(state.since);
  return { kind: 'transition', transition: runStep(state, step, observation) };
}

function verification(since: Inventory): Step {
  return {
    name: 'verify',
    phase: 'verify',
    why: 'load balancers, Nodes and providerIDs must be what they were at the start',
    effect: { kind: 'verify', since },
    cures: [],
  };
}

function soakIsDue({ soak, policy }: RunState): boolean {
  return soak !== 'passed' && policy.soakSeconds > 0;
}

/** The first step that takes a cloud loop away from the source side; a repair is never kept waiting. */
function needsApproval({ target, policy, approvals }: RunState, { name, phase }: Step): boolean {
  if (target !== 'ccm' || policy.handoverApproval === 'notRequired') return false;
  if (phase === 'repair' || approvals.includes(HANDOVER_APPROVAL)) return false;
  return name === 'externalizeKcm' || name === 'removeMachine';
}

/** Gates and breaches that the decided step does not cure: it may run while exactly what it cures fails. */
function uncured({ gates, breaches }: RunState, decision: Decision): readonly GateVerdict[] {
  return [...breaches, ...gates].filter(
    ({ code }) => decision.kind !== 'step' || !isCured(code, decision.step),
  );
}

/** A breach known only from the fence has no code of its own here; the fence lets only its cure write. */
export function isCured(code: string, { cures, phase }: Step): boolean {
  return cures.includes(code) || (code === BREACH_IN_FENCE && phase === 'repair');
}

export const BREACH_IN_FENCE = 'CCM4023';

function onBreach(state: RunState, verdicts: readonly [GateVerdict, ...GateVerdict[]]): Decided {
  if (state.policy.onBreach === 'rollBack' && state.target === 'ccm') {
    const codes = verdicts.map(({ gate, code }) => `${gate} (${code})`).join(', ');
    const mandate = { actor: 'policy onBreach', reason: codes };
    return { kind: 'turned', state: turnTo(state, 'kcm', mandate, 'rolled back') };
  }
  return { kind: 'held', trouble: { kind: 'gates', findings: gateFindings(verdicts) } };
}
