import type { RunState } from './run-state.js';

/** The state with the beginning of its hold, in epoch ms on the server's clock; what is noted already stays. */
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
