import type { NextMove, PlannedStep } from '../decision/run-decision.js';
import type { Step } from '../decision/step.js';
import { isSoftCode } from '../gates/soft-codes.js';
import type { GateVerdict } from '../gates/verdicts.js';
import { applyQueue } from './apply-commands.js';
import { applyOrders } from './apply-orders.js';
import { finishDone, finishFailed, finishStopped } from './finish.js';
import { isLeftToPolicy, isPaused } from './alert-pauses.js';
import { gatesHoldReason, holdCommand, soakIsDue, turningHoldReason } from './holds.js';
import { gatesHold, heldAgain } from './turning-holds.js';
import { breachRuleFor, harmIn, mayTurn, turnedByPolicy } from './breach-rules.js';
import { earlyProbe, lateProbe } from './probes-due.js';
import { approvalFindings, repeatFindings, unguardedFindings } from './run-findings.js';
import type {
  HoldReason,
  NextAction,
  RunState,
  StepsDone,
  Transition,
  Problems,
} from './run-state.js';
import type { RunObservation } from './results.js';

/**
 * What happens when nothing is in flight. Recovery from a failed step comes first: re-acquire the fence, so that an attempt
 * that is still alive can no longer write, observe, and restore a manifest whose change was cut off. Only then is this a safe
 * point, where commands and then the orders of a fleet apply, each in order, and the next step starts.
 */
export function resumeLoop(state: RunState): Transition {
  const recovery = state.pending.recovery ? recover(state) : null;
  if (recovery !== null) return recovery;
  const safe: RunState = { ...state, pending: { ...state.pending, recovery: false } };
  const { holdReason } = safe.problems;
  if (holdReason?.kind === 'fatal') return finishFailed(safe, holdReason.failure);
  return decideNext(applyOrders(applyQueue(safe)));
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
function currentObservation({ pending, observed, direction }: RunState): RunObservation | null {
  const isStale = pending.observed || observed?.decision.revision !== direction.revision;
  return isStale ? null : observed;
}

function decideNext(state: RunState): Transition {
  const { operatorHold, direction, membership } = state;
  if (operatorHold.kind === 'stop') return finishStopped(state, direction.reason);
  if (isLeftToPolicy(state)) return pausedByAlert(state);
  if (isPaused(state)) return held(state, { kind: 'awaitCommand' });
  if (membership.slot === 'givenBack') return parked(state);
  if (isSticky(state.problems)) return held(state, holdCommand(state));
  return prepare(state) ?? interpret(state);
}

/**
 * An alert asks for caution, so that no step forward is taken, and keeps no harm in place: what policy wants of a measured failure is
 * decided as ever. A hold that it ends with a rollback is watched, because it ends with its cause, too.
 */
function pausedByAlert(state: RunState): Transition {
  const { problems } = state;
  if (isSticky(problems) || !mayTurn(state)) return heldByAlert(state);
  const observed = currentObservation(state);
  if (observed === null) return observe(state, true);
  const { next } = observed.decision;
  const [first, ...others] = uncured(problems, next);
  if (first === undefined) return heldByAlert(state);
  const decided = onUncured(state, next, [first, ...others]);
  return decided.kind === 'turned'
    ? decideNext(decided.state)
    : heldByAlert({ ...state, problems: { ...problems, holdReason: decided.holdReason } });
}

function heldByAlert(state: RunState): Transition {
  const turns = gatesHold(state)?.turnsAfterMs !== undefined;
  return held(state, turns ? holdCommand(state) : { kind: 'awaitCommand' });
}

/** Without a slot the run changes nothing: a hold that heals is watched on, and what has healed waits for the slot. */
function parked(state: RunState): Transition {
  const { problems, observed, pending } = state;
  const { holdReason } = problems;
  if (holdReason === null) {
    const [first, ...others] = observed === null ? [] : uncured(problems, observed.decision.next);
    return first === undefined
      ? held(state, { kind: 'awaitCommand' })
      : heldFor(state, heldAgain(state, [first, ...others]));
  }
  if (isSticky(problems)) return held(state, holdCommand(state));
  const current = currentObservation(state);
  if (current === null) return observe(state, true);
  const { next } = current.decision;
  if (next.kind === 'blocked') {
    return heldFor(state, { kind: 'blocked', findings: next.findings });
  }
  // Whether a guard serves it can be seen under a fence only, and a lost one is taken again with the slot.
  const unguarded = holdReason.kind === 'unserved' && !current.guarded && !pending.fence;
  return unguarded ? held(state, holdCommand(state)) : parked(freed(state));
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
    case 'held':
      return heldFor(state, decided.holdReason);
  }
}

function heldFor(state: RunState, holdReason: HoldReason): Transition {
  const troubled = { ...state, problems: { ...state.problems, holdReason } };
  return held(troubled, holdCommand(troubled));
}

/**
 * Each observation decides again whether the rules block and whether a worker serves the cluster; other holds stay
 * until they are resolved.
 */
function isSticky({ holdReason }: Problems): boolean {
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
  const requests = state.fence.requests + 1;
  const { acknowledge } = state.pending;
  return {
    state: {
      ...state,
      fence: { ...state.fence, requests },
      inFlight: { kind: 'takingFence' },
    },
    command: { kind: 'takeFence', fence: requests, acknowledge, patient },
  };
}

function observe(state: RunState, patient: boolean): Transition {
  return { state: busy(state, { kind: 'observing' }), command: { kind: 'observe', patient } };
}

function soak(state: RunState, soakMs: number): Transition {
  return {
    state: { ...freed(state), inFlight: { kind: 'soaking', soakMs } },
    command: { kind: 'soak', soakMs },
  };
}

/** Nothing holds the run any more. */
function freed(state: RunState): RunState {
  return { ...state, problems: { ...state.problems, holdReason: null } };
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
  const [first, ...others] = uncured(state.problems, next);
  if (first !== undefined) return onUncured(state, next, [first, ...others]);
  switch (next.kind) {
    case 'blocked':
      return { kind: 'held', holdReason: { kind: 'blocked', findings: next.findings } };
    case 'done':
      return (hasStepped(state.done) ? vouched(state, observed, proof) : null) ?? finished(state);
    case 'step':
      return guardStep(state, observed, next.planned);
  }
}

/** Executes a step, unless it was tried too often since the last operator command. */
function runStep(state: RunState, planned: PlannedStep): Transition {
  const { key, attempt, step } = planned;
  const { problems, attempts } = state;
  const executed = attempts.byDecision[attempt] ?? 0;
  const failures = attempts.failures.step === key ? attempts.failures.count : 0;
  if (executed >= MAX_TRIES || failures >= MAX_TRIES) {
    const { text, whoActs: cause } = problems.lastFailure;
    const findings = repeatFindings(step, Math.max(executed, failures), text);
    // Only a person can resolve a step that succeeds and changes nothing.
    const whoActs = failures >= MAX_TRIES ? cause : 'person';
    const holdReason: HoldReason = { kind: 'repeats', whoActs, findings };
    return {
      state: { ...state, problems: { ...problems, holdReason }, inFlight: { kind: 'held' } },
      command: { kind: 'awaitCommand' },
    };
  }
  const byDecision = { ...attempts.byDecision, [attempt]: executed + 1 };
  return {
    state: {
      ...(state.pending.recovery ? state : freed(state)),
      attempts: { ...attempts, byDecision, waits: 0 },
      inFlight: { kind: 'stepping', planned },
    },
    command: { kind: 'runStep', planned },
  };
}

/** Whether any execution of this run has executed a step. */
export function hasStepped({ steps, earlier }: StepsDone): boolean {
  return steps.length + earlier.steps > 0;
}

/** Whether something of the cluster may no longer be as it was before this run. */
export function mayHaveWritten({ done, membership }: RunState): boolean {
  return hasStepped(done) || membership.mayHaveWritten;
}

function guardStep(state: RunState, observed: RunObservation, planned: PlannedStep): Decided {
  const unplanned = planned.step.phase === 'repair' ? null : planDue(state);
  if (unplanned !== null) return unplanned;
  const probe = planned.step.phase === 'repair' ? null : earlyProbe(state, observed.decision);
  if (probe !== null) return begin(state, observed, probe);
  const proof = planned.afterProof ? proofDue(state, observed, observed.decision.proof) : null;
  if (proof !== null) return proof;
  if (planned.approval !== null) {
    const findings = approvalFindings(planned.step);
    return { kind: 'held', holdReason: { kind: 'approval', what: planned.approval, findings } };
  }
  return begin(state, observed, planned);
}

/** A changed direction has its own plan, which preflight may object to; null when there is no objection. */
function planDue({ pending, direction }: RunState): Decided | null {
  if (pending.plan) return { kind: 'check' };
  const [first, ...more] = direction.objections;
  if (first === undefined) return null;
  const findings = [first, ...more] as const;
  return { kind: 'held', holdReason: { kind: 'failure', whoActs: 'person', findings } };
}

/** No step starts that could not write: without a guard the run waits for one. */
function begin(state: RunState, { guarded }: RunObservation, planned: PlannedStep): Decided {
  if (!guarded) return unserved();
  const transition = runStep(state, planned);
  const { holdReason } = transition.state.problems;
  return transition.command.kind === 'awaitCommand' && holdReason !== null
    ? { kind: 'held', holdReason }
    : { kind: 'transition', transition };
}

/** A run that changed something ends only after its guard has confirmed the final state. */
function vouched(state: RunState, observed: RunObservation, proof: PlannedStep): Decided | null {
  return proofDue(state, observed, proof) ?? (observed.guarded ? null : unserved());
}

function finished(state: RunState): Decided {
  return { kind: 'transition', transition: finishDone(freed(state)) };
}

function unserved(): Decided {
  return { kind: 'held', holdReason: { kind: 'unserved', findings: unguardedFindings() } };
}

/** First the probe, then the soak, then the comparison with the start; null when all are done. */
function proofDue(state: RunState, observed: RunObservation, proof: PlannedStep): Decided | null {
  const probe = lateProbe(state, observed.decision);
  if (probe !== null) return begin(state, observed, probe);
  if (soakIsDue(state)) return { kind: 'soak' };
  return state.proofs.verified ? null : begin(state, observed, proof);
}

/** Gates and breaches that the decided step does not cure. A step may run while only what it cures is failing. */
export function uncured({ gates, breaches }: Problems, next: NextMove): readonly GateVerdict[] {
  return [...breaches, ...gates].filter(
    ({ code }) => next.kind !== 'step' || !isCured(code, next.planned.step),
  );
}

/**
 * A breach known only from the fence has no code here; the fence itself lets only the cure write. What a repair ends is worse
 * than what gates on metrics show.
 */
export function isCured(code: string, { cures, phase }: Step): boolean {
  const isKnownToGuard = code === BREACH_IN_FENCE || isSoftCode(code);
  return cures.includes(code) || (isKnownToGuard && phase === 'repair');
}

export const BREACH_IN_FENCE = 'CCM4023';

function onUncured(
  state: RunState,
  next: NextMove,
  verdicts: readonly [GateVerdict, ...GateVerdict[]],
): Extract<Decided, { readonly kind: 'turned' | 'held' }> {
  const failed = harmIn(verdicts);
  const isForward = state.direction.target === 'ccm';
  const rule = failed.length > 0 && isForward ? breachRuleFor(state, next) : 'hold';
  if (rule === 'hold') return { kind: 'held', holdReason: gatesHoldReason(verdicts) };
  if (rule === 'rollBack') return { kind: 'turned', state: turnedByPolicy(state, failed) };
  return { kind: 'held', holdReason: turningHoldReason(verdicts, rule.holdThenRollBackMs) };
}
