import type { NextMove, PlannedStep } from '../decision/run-decision.js';
import type { Step } from '../decision/step.js';
import type { GateVerdict } from '../gates/verdicts.js';
import { applyQueue } from './apply-commands.js';
import { finishDone, finishFailed, finishStopped } from './finish.js';
import { gatesHoldReason, holdCommand, changeTarget } from './holds.js';
import { approvalFindings, repeatFindings, unguardedFindings } from './run-findings.js';
import type { NextAction, RunState, Transition, HoldReason } from './run-state.js';
import type { RunObservation } from './results.js';

/**
 * What happens when nothing is in flight. Recovery from a failed step comes first: re-acquire the fence, so that an attempt
 * that is still alive can no longer write, observe, and restore a manifest whose change was cut off. Only then is this a safe
 * point, where commands apply in order and the next step starts.
 */
export function resumeLoop(state: RunState): Transition {
  const recovery = state.recovering ? recover(state) : null;
  if (recovery !== null) return recovery;
  const safe: RunState = { ...state, recovering: false };
  if (safe.holdReason?.kind === 'fatal') return finishFailed(safe, safe.holdReason.failure);
  return decideNext(applyQueue(safe));
}

function recover(state: RunState): Transition | null {
  if (state.pending.fence) return takeFence(state, false);
  const observed = currentObservation(state);
  if (observed === null) return observe(state, false);
  const { next } = observed.decision;
  if (!observed.guarded || next.kind !== 'step' || !next.planned.recovers) return null;
  const transition = runStep(state, next.planned);
  return transition.command.kind === 'runStep' ? transition : null;
}

/** The last observation, if its decision still answers the current request. */
function currentObservation({ pending, observed, revision }: RunState): RunObservation | null {
  return pending.observed || observed?.decision.revision !== revision ? null : observed;
}

function decideNext(state: RunState): Transition {
  if (state.hold === 'stop') return finishStopped(state, state.targetReason);
  if (state.hold === 'pause') return held(state, { kind: 'awaitCommand' });
  if (isSticky(state)) return held(state, holdCommand(state));
  return prepare(state) ?? interpret(state);
}

/** What must happen before the next decision, one thing at a time; null when nothing is left. */
function prepare(state: RunState): Transition | null {
  const { pending } = state;
  if (pending.check) return check(state, pending.recheck);
  if (pending.fence) return takeFence(state, true);
  if (pending.recheck) return check(state, false);
  if (pending.restMs > 0) return held(state, { kind: 'rest', ms: pending.restMs });
  return pending.measure ? soak(state, 0) : null;
}

function interpret(state: RunState): Transition {
  const observed = currentObservation(state);
  if (observed === null) return observe(state, true);
  const decided = decide(state, observed);
  switch (decided.kind) {
    case 'transition':
      return decided.transition;
    case 'turned':
      return decideNext(decided.state);
    case 'soak':
      return soak(state, state.policy.soakSeconds * 1000);
    case 'check':
      return check(state, false);
    case 'held': {
      const troubled = { ...state, holdReason: decided.holdReason };
      return held(troubled, holdCommand(troubled));
    }
  }
}

/**
 * Each observation decides again whether the rules block and whether a worker serves the cluster; other holds stay
 * until they are resolved.
 */
function isSticky({ holdReason }: RunState): boolean {
  return holdReason !== null && holdReason.kind !== 'blocked' && holdReason.kind !== 'unserved';
}

function held(state: RunState, command: NextAction): Transition {
  return { state: busy(state, { kind: 'held' }), command };
}

function busy(state: RunState, inFlight: RunState['inFlight']): RunState {
  return { ...state, inFlight };
}

function check(state: RunState, early: boolean): Transition {
  return { state: busy(state, { kind: 'checking' }), command: { kind: 'check', early } };
}

function takeFence(state: RunState, patient: boolean): Transition {
  const fences = state.fences + 1;
  const { acknowledge } = state.pending;
  return {
    state: { ...state, fences, inFlight: { kind: 'takingFence' } },
    command: { kind: 'takeFence', fence: fences, acknowledge, patient },
  };
}

function observe(state: RunState, patient: boolean): Transition {
  return { state: busy(state, { kind: 'observing' }), command: { kind: 'observe', patient } };
}

function soak(state: RunState, soakMs: number): Transition {
  return {
    state: { ...state, holdReason: null, inFlight: { kind: 'soaking', soakMs } },
    command: { kind: 'soak', soakMs },
  };
}

/** How often a decision may be executed, or a step may fail, before the run holds. */
export const MAX_TRIES = 4;

export type Decided =
  | { readonly kind: 'transition'; readonly transition: Transition }
  /** Policy changed the run's direction. */
  | { readonly kind: 'turned'; readonly state: RunState }
  | { readonly kind: 'soak' }
  | { readonly kind: 'check' }
  | { readonly kind: 'held'; readonly holdReason: HoldReason };

/** The next move from a fresh decision, with gates, approvals and soaks in front of it. */
function decide(state: RunState, observed: RunObservation): Decided {
  const { next, proof } = observed.decision;
  const [first, ...others] = uncured(state, next);
  if (first !== undefined) return onUncured(state, [first, ...others]);
  switch (next.kind) {
    case 'blocked':
      return { kind: 'held', holdReason: { kind: 'blocked', findings: next.findings } };
    case 'done':
      return (hasStepped(state) ? vouched(state, observed, proof) : null) ?? finished(state);
    case 'step':
      return guardStep(state, observed, next.planned);
  }
}

/** Executes a step, unless it was tried too often since the last operator command. */
function runStep(state: RunState, planned: PlannedStep): Transition {
  const { key, attempt, step } = planned;
  const attempts = state.attempts[attempt] ?? 0;
  const failures = state.failures.step === key ? state.failures.count : 0;
  if (attempts >= MAX_TRIES || failures >= MAX_TRIES) {
    const { text, whoActs: cause } = state.lastFailure;
    const findings = repeatFindings(step, Math.max(attempts, failures), text);
    // Only a person can resolve a step that succeeds and changes nothing.
    const whoActs = failures >= MAX_TRIES ? cause : 'person';
    const holdReason: HoldReason = { kind: 'repeats', whoActs, findings };
    return {
      state: { ...state, holdReason, inFlight: { kind: 'held' } },
      command: { kind: 'awaitCommand' },
    };
  }
  return {
    state: {
      ...state,
      holdReason: state.recovering ? state.holdReason : null,
      waitCount: 0,
      attempts: { ...state.attempts, [attempt]: attempts + 1 },
      inFlight: { kind: 'stepping', planned },
    },
    command: { kind: 'runStep', planned },
  };
}

/** Whether any execution of this run has executed a step. */
export function hasStepped({ steps, earlier }: RunState): boolean {
  return steps.length + earlier.steps > 0;
}

function guardStep(state: RunState, observed: RunObservation, planned: PlannedStep): Decided {
  const unplanned = planned.step.phase === 'repair' ? null : planDue(state);
  if (unplanned !== null) return unplanned;
  const proof = planned.afterProof ? proofDue(state, observed, observed.decision.proof) : null;
  if (proof !== null) return proof;
  if (planned.approval !== null) {
    const findings = approvalFindings(planned.step);
    return { kind: 'held', holdReason: { kind: 'approval', what: planned.approval, findings } };
  }
  return begin(state, observed, planned);
}

/** A changed direction has its own plan, which preflight may object to; null when there is no objection. */
function planDue({ pending, objections }: RunState): Decided | null {
  if (pending.plan) return { kind: 'check' };
  const [first, ...more] = objections;
  if (first === undefined) return null;
  const findings = [first, ...more] as const;
  return { kind: 'held', holdReason: { kind: 'failure', whoActs: 'person', findings } };
}

/** No step starts that could not write: without a guard the run waits for one. */
function begin(state: RunState, { guarded }: RunObservation, planned: PlannedStep): Decided {
  if (!guarded) return unserved();
  const transition = runStep(state, planned);
  const { holdReason } = transition.state;
  return transition.command.kind === 'awaitCommand' && holdReason !== null
    ? { kind: 'held', holdReason }
    : { kind: 'transition', transition };
}

/** A run that changed something ends only after its guard has confirmed the final state. */
function vouched(state: RunState, observed: RunObservation, proof: PlannedStep): Decided | null {
  return proofDue(state, observed, proof) ?? (observed.guarded ? null : unserved());
}

function finished(state: RunState): Decided {
  return { kind: 'transition', transition: finishDone({ ...state, holdReason: null }) };
}

function unserved(): Decided {
  return { kind: 'held', holdReason: { kind: 'unserved', findings: unguardedFindings() } };
}

/** First the soak, then the comparison with the start; null when both are done. */
function proofDue(state: RunState, observed: RunObservation, proof: PlannedStep): Decided | null {
  if (soakIsDue(state)) return { kind: 'soak' };
  return state.verified ? null : begin(state, observed, proof);
}

function soakIsDue({ soak, policy }: RunState): boolean {
  return soak !== 'passed' && policy.soakSeconds > 0;
}

/** Gates and breaches that the decided step does not cure. A step may run while only what it cures is failing. */
function uncured({ gates, breaches }: RunState, next: NextMove): readonly GateVerdict[] {
  return [...breaches, ...gates].filter(
    ({ code }) => next.kind !== 'step' || !isCured(code, next.planned.step),
  );
}

/** A breach known only from the fence has no code here; the fence itself lets only the cure write. */
export function isCured(code: string, { cures, phase }: Step): boolean {
  return cures.includes(code) || (code === BREACH_IN_FENCE && phase === 'repair');
}

export const BREACH_IN_FENCE = 'CCM4023';

/** Only a measured failure triggers a rollback; what could not be measured holds the run. */
function onUncured(state: RunState, verdicts: readonly [GateVerdict, ...GateVerdict[]]): Decided {
  const failed = verdicts.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > 0 && state.policy.onBreach === 'rollBack' && state.target === 'ccm') {
    const codes = failed.map(({ gate, code }) => `${gate} (${code})`).join(', ');
    const requestedBy = { actor: 'policy onBreach', reason: codes };
    return { kind: 'turned', state: changeTarget(state, 'kcm', requestedBy, 'rolled back') };
  }
  return { kind: 'held', holdReason: gatesHoldReason(verdicts) };
}
