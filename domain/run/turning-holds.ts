import type { GateVerdict } from '../gates/verdicts.js';
import { type GatesHold, gatesHoldReason, turningHoldReason } from './holds.js';
import type { Findings, HoldReason, InFlight, RunState } from './run-state.js';

/** A hold that policy ends with a rollback keeps its time, whatever fails or is decided again meanwhile: only a decision, or what heals, ends it. */

type Verdicts = readonly [GateVerdict, ...GateVerdict[]];

/** A hold for gates; also while the run observes again because the cluster got worse. Null where nothing of the kind holds it. */
export function gatesHold(state: RunState): GatesHold | null {
  const { holdReason } = state.problems;
  if (holdReason !== null) return holdReason.kind === 'gates' ? holdReason : null;
  if (state.pendingTurn?.outlasts !== true || !REDECIDING.includes(state.inFlight.kind))
    return null;
  const [first, ...others] = [...state.problems.breaches, ...state.problems.gates];
  return first === undefined
    ? null
    : turningHoldReason([first, ...others], state.pendingTurn.afterMs);
}

/** What a run does between two decisions about the same hold; `held` where it is paused or parked before the second. */
const REDECIDING: readonly InFlight['kind'][] = ['takingFence', 'observing', 'held'];

/** Decided again of a parked run, which changes nothing: its time goes on. */
export function heldAgain({ pendingTurn }: RunState, verdicts: Verdicts): GatesHold {
  return pendingTurn?.outlasts === true
    ? turningHoldReason(verdicts, pendingTurn.afterMs)
    : gatesHoldReason(verdicts);
}

type FailureHold = Extract<HoldReason, { readonly kind: 'failure' }>;

/** A failure holds the run; beside a hold with a time it is told, and who must cure it decides whether the hold may heal. */
export function heldByFailure(state: RunState, failure: FailureHold): HoldReason {
  const hold = state.pendingTurn?.outlasts === true ? gatesHold(state) : null;
  if (hold === null) return failure;
  const whoActs = failure.whoActs === 'person' ? failure.whoActs : hold.whoActs;
  return { ...hold, whoActs, findings: withFailure(hold.findings, failure.findings) };
}

/** The first is a gate's. The same failure again is told once, as it was last. */
function withFailure([first, ...others]: Findings, failure: Findings): Findings {
  const before = others.filter(
    ({ code, subject }) => !failure.some((each) => each.code === code && each.subject === subject),
  );
  return [first, ...before, ...failure];
}
