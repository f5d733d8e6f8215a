import type { FleetScope } from './fleet-command.js';
import type { FleetAction, FleetTransition } from './fleet-events.js';
import type { FleetAnswer, FleetState, Row } from './fleet-state.js';
import { isIn } from './correlation.js';

/** What a command came to. `pending`: it waits for another person. */
export interface OrderResult {
  readonly state: FleetState;
  readonly actions: readonly FleetAction[];
  readonly answer: Pick<FleetAnswer, 'state' | 'applied' | 'refused' | 'detail'>;
}

export function orderRefused(state: FleetState, detail: string): OrderResult {
  return { state, actions: [], answer: { state: 'refused', applied: 0, refused: 0, detail } };
}

export function orderApplied(
  { state, actions }: FleetTransition,
  counts: { readonly applied: number; readonly refused: number },
  detail: string,
): OrderResult {
  return { state, actions, answer: { state: 'applied', ...counts, detail } };
}

/** The rows that a command is about. */
export function rowsIn(state: FleetState, scope: FleetScope): readonly Row[] {
  switch (scope.kind) {
    case 'fleet':
      return state.rows;
    case 'wave':
      return state.rows.filter(({ wave }) => wave === scope.wave);
    case 'group':
      return state.rows.filter((row) => isIn(row, scope.group));
    case 'rows':
      return [...new Set(scope.rows)]
        .sort((a, b) => a - b)
        .flatMap((index) => state.rows.slice(index, index + 1));
  }
}

/** A change of one row, or null where the command does not apply to it. */
export type RowChange = (state: FleetState, row: Row) => FleetTransition | null;

/** Applies a command to each row and counts where it did not apply. */
export function onRows(
  state: FleetState,
  rows: readonly Row[],
  change: RowChange,
  detail: string,
): OrderResult {
  const actions: FleetAction[] = [];
  let current = state;
  let count = 0;
  for (const row of rows) {
    const next = change(current, row);
    if (next === null) continue;
    current = next.state;
    actions.push(...next.actions);
    count += 1;
  }
  if (count === 0) return orderRefused(state, 'it applies to no cluster in this state');
  return orderApplied(
    { state: current, actions },
    { applied: count, refused: rows.length - count },
    detail,
  );
}
