import type { GateBook, GateState } from './gate-book.js';

/**
 * The book with fewer windows that began at other minutes than a step of ours, for a heartbeat that would be too large. Each
 * halving makes later harm show later; no window alarms more often for it.
 */
export function slimBook(book: GateBook): GateBook {
  const gates = Object.entries(book.gates).map(([name, state]): [string, GateState] => [
    name,
    slimState(state),
  ]);
  return { ...book, gates: Object.fromEntries(gates) };
}

function slimState(state: GateState): GateState {
  if (state.kind !== 'counts' || state.watch === null) return state;
  const { watch } = state;
  return {
    ...state,
    watch: { ...watch, others: watch.others.filter((_, index) => index % 2 === 1) },
  };
}
