import type { FleetAction } from './fleet-events.js';
import { hasEnded } from './fleet-rows.js';
import type { FleetState } from './fleet-state.js';

/** The rows whose runs a command has to be told to. */
export interface Telling {
  readonly commandId: string;
  readonly rows: readonly number[];
}

/** Whom a command has not reached. */
export interface CommandReach {
  /** Names of clusters whose run could not be told: the first of them. Each is told again until it is reached or has ended. */
  readonly unreached: readonly string[];
  readonly unreachedCount: number;
  /** Clusters whose run nothing has been sent to yet. */
  readonly waiting: number;
}

/** Enough for people; a query's answer has to stay small. */
const MOST_NAMES = 50;
const KEPT_TELLINGS = 16;

/** Remembers the rows of the last few commands; one that arrives again is told to no one. */
export function withTelling(
  tellings: readonly Telling[],
  commandId: string,
  actions: readonly FleetAction[],
): readonly Telling[] {
  if (tellings.some((each) => each.commandId === commandId)) return tellings;
  const rows = actions.flatMap((action) => {
    if (action.kind === 'start') return [];
    return 'rows' in action ? action.rows : [action.row];
  });
  return [...tellings.slice(1 - KEPT_TELLINGS), { commandId, rows: [...new Set(rows)] }];
}

/** Null for a command that is not remembered: it is too old, or the fleet has continued as new since. */
export function reachOf(
  { rows }: Pick<FleetState, 'rows'>,
  telling: Telling | undefined,
  sending: { readonly undelivered: readonly number[]; readonly away: readonly number[] },
): CommandReach | null {
  if (telling === undefined) return null;
  const meant = new Set(telling.rows);
  const undelivered = new Set(sending.undelivered);
  const left = rows.filter(
    (row) => meant.has(row.index) && undelivered.has(row.index) && !hasEnded(row),
  );
  const unreached = left.filter(({ index }) => sending.away.includes(index));
  return {
    unreached: unreached.slice(0, MOST_NAMES).map(({ name }) => name),
    unreachedCount: unreached.length,
    waiting: left.length - unreached.length,
  };
}
