import { turnedByPolicy } from './breach-rules.js';
import { undisturbed } from './guard-events.js';
import { type GatesHold, isPaused } from './holds.js';
import { resumeLoop, uncured } from './resume-loop.js';
import { withTies } from './fleet-ties.js';
import type { PendingTurn, RunState, Transition } from './run-state.js';

/**
 * The state with the rollback that its hold will end with. The time counts from the begin of the hold, however often it is decided
 * again meanwhile. A pause is a decision: it drops the turn for good, and what holds then waits for a person.
 */
export function withPendingTurn(state: RunState): RunState {
  const { pendingTurn, ...others } = state;
  const { turnsAfterMs: afterMs } = gatesHold(state) ?? {};
  if (afterMs === undefined) return pendingTurn === undefined ? state : others;
  if (isPaused(state) || state.operatorHold.kind === 'stop') return withoutTurn(state);
  return { ...state, pendingTurn: { sinceMs: pendingTurn?.sinceMs ?? null, afterMs } };
}

function gatesHold({ problems: { holdReason } }: RunState): GatesHold | null {
  return holdReason?.kind === 'gates' ? holdReason : null;
}

/** The hold stays, and waits for a person or for the cluster alone. */
function withoutTurn({ pendingTurn: _dropped, ...state }: RunState): RunState {
  const hold = gatesHold(state);
  if (hold === null) return state;
  const { turnsAfterMs: _noMore, ...holdReason } = hold;
  return { ...state, problems: { ...state.problems, holdReason } };
}

/** The state with the begin of its hold, in epoch ms on the server's clock; what is noted already stays. */
export function withTurnTimed(state: RunState, nowMs: number): RunState {
  const { pendingTurn } = state;
  if (pendingTurn?.sinceMs !== null) return state;
  return { ...state, pendingTurn: { ...pendingTurn, sinceMs: nowMs } };
}

/** When the run rolls back by itself, in epoch ms; null where it does not. */
export function turnsAtMs({ pendingTurn }: Pick<RunState, 'pendingTurn'>): number | null {
  return pendingTurn === undefined || pendingTurn.sinceMs === null
    ? null
    : pendingTurn.sinceMs + pendingTurn.afterMs;
}

/**
 * The time of a pending turn is up; one that was dropped, or another hold's, changes nothing. What failed must still stand as
 * measured and uncured. A parked run rolls back without a slot, as one that a person turns does.
 */
export function afterTurnDue(state: RunState, sinceMs: number): Transition {
  const { pendingTurn, problems, observed, inFlight } = state;
  if (pendingTurn?.sinceMs !== sinceMs || inFlight.kind !== 'held' || observed === null) {
    return undisturbed(state);
  }
  const failed = uncured(problems, observed.decision.next).filter(
    ({ verdict }) => verdict === 'fail',
  );
  if (failed.length === 0) return undisturbed(withoutTurn(state));
  const turned = turnedByPolicy(state, failed, heldText(pendingTurn));
  return resumeLoop(withTies(turned, { slot: 'held' }));
}

function heldText({ afterMs }: PendingTurn): string {
  return `; held for ${String(Math.round(afterMs / 1000))} s and not decided`;
}
