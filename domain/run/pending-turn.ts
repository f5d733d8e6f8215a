import { turnedByPolicy } from './breach-rules.js';
import { undisturbed } from './guard-events.js';
import { isPausedByPerson } from './alert-pauses.js';
import type { GatesHold } from './holds.js';
import { resumeLoop, uncured } from './resume-loop.js';
import { withTies } from './fleet-ties.js';
import { gatesHold } from './turning-holds.js';
import type { PendingTurn, RunState, Transition } from './run-state.js';

/**
 * The state with the rollback that its hold will end with. The time counts from the beginning of the hold, however often it is
 * decided again meanwhile. A person's pause is a decision: it drops the turn for good, and what holds then waits for a person.
 */
export function withPendingTurn(state: RunState): RunState {
  const { pendingTurn, ...others } = state;
  const hold = gatesHold(state);
  const afterMs = hold?.turnsAfterMs;
  if (hold === null || afterMs === undefined) return pendingTurn === undefined ? state : others;
  if (isPausedByPerson(state) || state.operatorHold.kind === 'stop')
    return withoutTurn(state, hold);
  return { ...state, pendingTurn: { sinceMs: null, ...pendingTurn, afterMs } };
}

/** The hold stays, and waits for a person or for the cluster alone. */
function withoutTurn({ pendingTurn: _dropped, ...state }: RunState, hold: GatesHold): RunState {
  const { turnsAfterMs: _noMore, ...holdReason } = hold;
  return { ...state, problems: { ...state.problems, holdReason } };
}

/**
 * The time of a pending turn is up; one that was dropped, or another hold's, changes nothing. What failed must still stand as
 * measured and uncured. A parked run rolls back without a slot, as one that a person turns does.
 */
export function afterTurnDue(state: RunState, sinceMs: number): Transition {
  const { pendingTurn, problems, observed, inFlight } = state;
  const hold = gatesHold(state);
  const isMeant = pendingTurn?.sinceMs === sinceMs && inFlight.kind === 'held';
  if (!isMeant || hold === null || observed === null) return undisturbed(state);
  const failed = uncured(problems, observed.decision.next).filter(
    ({ verdict }) => verdict === 'fail',
  );
  if (failed.length === 0) return undisturbed(withoutTurn(state, hold));
  const turned = turnedByPolicy(state, failed, heldText(pendingTurn));
  return resumeLoop(withTies(turned, { slot: 'held' }));
}

function heldText({ afterMs }: PendingTurn): string {
  return `; held for ${String(Math.round(afterMs / 1000))} s and not decided`;
}
