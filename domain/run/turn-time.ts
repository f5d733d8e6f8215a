import type { RunState } from './run-state.js';

/** A hold that policy ends with a rollback, as it is noted when it begins. */
interface NotedTurn {
  /** Epoch ms on the server's clock. */
  readonly nowMs: number;
  /** Whether failures meanwhile leave it its time. */
  readonly outlasts: boolean;
}

/** The state with the beginning of its hold; what is noted already stays, and nothing is asked then. */
export function withTurnTimed(state: RunState, note: () => NotedTurn): RunState {
  const { pendingTurn } = state;
  if (pendingTurn?.sinceMs !== null) return state;
  const { nowMs, outlasts } = note();
  const kept = outlasts ? { outlasts } : {};
  return { ...state, pendingTurn: { ...pendingTurn, ...kept, sinceMs: nowMs } };
}

/** When the run rolls back by itself, in epoch ms; null where it does not. */
export function turnsAtMs({ pendingTurn }: Pick<RunState, 'pendingTurn'>): number | null {
  return pendingTurn === undefined || pendingTurn.sinceMs === null
    ? null
    : pendingTurn.sinceMs + pendingTurn.afterMs;
}

/** The same as long as that can be decided. A run that observes again turns once it holds, also where its time was up before. */
export function turnAwaitedMs(state: Pick<RunState, 'pendingTurn' | 'inFlight'>): number | null {
  const decidesAgain = state.pendingTurn?.outlasts === true && state.inFlight.kind !== 'held';
  return decidesAgain ? null : turnsAtMs(state);
}
