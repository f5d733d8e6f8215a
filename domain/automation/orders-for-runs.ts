import { digestJson } from '../digest.js';
import { type AutomationToken, type CommandedRun, mayCommand } from './automation-token.js';
import type { RequestedOrder } from './requested-orders.js';

/** A request with the runs that its labels select. */
export interface ResolvedOrder {
  readonly order: RequestedOrder;
  readonly runs: readonly CommandedRun[];
}

/** One command to one run, or the note that its alert is over. */
export interface RunOrder extends RequestedOrder {
  readonly run: CommandedRun;
  readonly commandId: string;
}

/** A request that a token has no right to. */
export interface RefusedOrder {
  readonly order: RequestedOrder;
  readonly run: CommandedRun;
}

export interface RunOrders {
  readonly orders: readonly RunOrder[];
  readonly refused: readonly RefusedOrder[];
  readonly unmatched: readonly RequestedOrder[];
}

/** Who asks: the token, and the group that its alerts came in. */
export interface Asking {
  readonly token: AutomationToken;
  readonly groupKey: string;
}

/**
 * At most one order and one note for each run: each is an event of its history. A rollback wins over pauses, and the alert that
 * began last over others, because an older one may have begun before a person let the run go on.
 */
export function ordersForRuns(asking: Asking, resolved: readonly ResolvedOrder[]): RunOrders {
  const refused: RefusedOrder[] = [];
  const chosen = new Map<string, RunOrder>();
  for (const { order, runs } of resolved) {
    const single = runs.length === 1;
    for (const run of runs) {
      const allowed = allowedOrder(asking.token, single ? order : paused(order, SEVERAL), run);
      if (allowed === null) {
        refused.push({ order, run });
        continue;
      }
      const given = { ...allowed, run, commandId: commandIdOf(asking, allowed, run) };
      const key = `${run.workflowId} ${String(allowed.overSinceMs !== null)}`;
      const known = chosen.get(key);
      if (known === undefined || isStronger(given, known)) chosen.set(key, given);
    }
  }
  const unmatched = resolved.flatMap(({ order, runs }) => (runs.length === 0 ? [order] : []));
  return { orders: [...chosen.values()], refused, unmatched };
}

const SEVERAL = 'its labels select several runs';
const NO_SCOPE = 'the token may not roll back';

/** A rollback without the right to it pauses where that is allowed: the alert is there. */
function allowedOrder(
  token: AutomationToken,
  order: RequestedOrder,
  run: CommandedRun,
): RequestedOrder | null {
  if (mayCommand(token, order.verb, run)) return order;
  const instead = paused(order, NO_SCOPE);
  return order.verb !== 'pause' && mayCommand(token, 'pause', run) ? instead : null;
}

function paused(order: RequestedOrder, instead: string): RequestedOrder {
  return order.verb === 'pause' ? order : { ...order, verb: 'pause', instead };
}

function isStronger(given: RunOrder, known: RunOrder): boolean {
  if (given.verb !== known.verb) return given.verb === 'rollBack';
  return given.alertSinceMs > known.alertSinceMs;
}

/** The same for every retry, replay and server of a pair, so that a run applies it once. */
function commandIdOf(
  { token, groupKey }: Asking,
  { fingerprint, startsAtMs, verb }: RequestedOrder,
  { workflowId, runId }: CommandedRun,
): string {
  const run = { workflowId, runId };
  return digestJson({ token: token.name, groupKey, fingerprint, startsAtMs, verb, run });
}

/** The id of the note that an alert is over: of its own, because the order has been answered. */
export function noteIdOf({ commandId, overSinceMs }: RunOrder): string {
  return digestJson({ pauseId: commandId, overSinceMs });
}
