import { holdsRun, type GateVerdict } from '../gates/verdicts.js';
import { isWaived, passesSoftGates } from '../gates/waived-gates.js';
import { isLeftToPolicy, isPaused } from './alert-pauses.js';
import { heals } from './holds.js';
import { isCured, resumeLoop } from './resume-loop.js';
import { guardFindings } from './run-findings.js';
import type { RunState, Transition } from './run-state.js';
import { heldByFailure } from './turning-holds.js';

export function afterBreach(state: RunState, verdict: GateVerdict): Transition {
  const { next, decides } = onBreach(state, verdict);
  return decides ? resumeLoop(next) : undisturbed(next);
}

export function afterGuard(state: RunState, why: string): Transition {
  const { next, decides } = onGuardEnded(state, why);
  return decides ? resumeLoop(next) : undisturbed(next);
}

/** The activity in flight goes on. */
export function undisturbed(state: RunState): Transition {
  return { state, command: { kind: 'continue' } };
}

/** How often the fence is taken again because the guard ended, before the run holds. */
const MAX_GUARD_LOSSES = 3;

/** A state, and whether the next action must be decided now. */
interface Noted {
  readonly next: RunState;
  readonly decides: boolean;
}

/**
 * A breach that the guard reports. It is also recorded in the fence, so writes stop however late this event arrives.
 */
function onBreach(state: RunState, verdict: GateVerdict): Noted {
  const { inFlight, problems } = state;
  if (inFlight.kind === 'ended' || !counts(state, verdict)) return { next: state, decides: false };
  if (inFlight.kind === 'stepping' && isCured(verdict.code, inFlight.planned.step)) {
    // The step in flight cures it, but the fence still records it: the next step may write only after the fence is
    // re-acquired.
    return { next: { ...state, pending: { ...state.pending, fence: true } }, decides: false };
  }
  const known = problems.breaches.find(
    ({ gate, code }) => gate === verdict.gate && code === verdict.code,
  );
  const isWorse = known?.verdict !== 'fail' && verdict.verdict === 'fail';
  if (known !== undefined && !isWorse) return { next: state, decides: false };
  const others = problems.breaches.filter((each) => each !== known);
  const breached = { ...problems, breaches: [...others, verdict] };
  // A hold that waits for the cluster ends when the cluster gets worse: policy may now want a rollback.
  return isHealing(state)
    ? { next: { ...state, problems: { ...breached, holdReason: null } }, decides: true }
    : { next: { ...state, problems: breached }, decides: inFlight.kind === 'soaking' };
}

/** A note holds nothing, nor does a soft gate that a person has skipped, or any during a rollback. */
function counts(
  { direction: { target, waivedGates = [] } }: RunState,
  verdict: GateVerdict,
): boolean {
  if (verdict.hardness === 'soft' && passesSoftGates(target)) return false;
  return holdsRun(verdict) && !isWaived(verdict, waivedGates);
}

/** Whether nothing but the cluster, or an alert, keeps the run from its next step, or from asking its fleet for a slot. */
function isHealing(state: RunState): boolean {
  const { holdReason } = state.problems;
  const isAlerted = isLeftToPolicy(state);
  if (state.inFlight.kind !== 'held' || (isPaused(state) && !isAlerted)) return false;
  if (holdReason !== null) return heals(holdReason);
  return isAlerted || state.membership.slot === 'givenBack';
}

/**
 * A run is not done until a guard has confirmed its final state: a guard observes again in a new epoch, and the run ends when
 * that guard reports. Until there is one, the run holds.
 */
export function reopened(state: RunState): RunState {
  return {
    ...state,
    inFlight: { kind: 'idle' },
    pending: { ...state.pending, fence: true, observed: true },
  };
}

/** Without its guard a run must not write: the fence is re-acquired, which also starts a new guard. */
function onGuardEnded(state: RunState, why: string): Noted {
  if (state.inFlight.kind === 'ended') return { next: state, decides: false };
  const guardLosses = state.attempts.guardLosses + 1;
  const attempts = { ...state.attempts, guardLosses };
  const lost: RunState = { ...state, attempts, pending: { ...state.pending, fence: true } };
  const decides = state.inFlight.kind === 'held';
  if (guardLosses <= MAX_GUARD_LOSSES) return { next: lost, decides };
  const findings = guardFindings(why);
  const holdReason = heldByFailure(lost, { kind: 'failure', whoActs: 'environment', findings });
  return { next: { ...lost, problems: { ...lost.problems, holdReason } }, decides };
}
