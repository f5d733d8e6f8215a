import { advanceFleet } from './advance-fleet.js';
import type { FleetEvent } from './fleet-events.js';
import type { FleetState, Row } from './fleet-state.js';
import type { JournalRow } from './lower-bound.js';
import { isMoving } from './fleet-rows.js';
import {
  carryOn,
  obey,
  type GroupOutage,
  type PendingEvent,
  type RowBehaviour,
  type SimulatedMember,
} from './simulated-member.js';
import { nextTickMs } from './timed.js';

export interface Simulation {
  /** What each row does, in their order. */
  readonly rows: readonly RowBehaviour[];
  readonly outages: readonly GroupOutage[];
  /** What arrives from outside: openings, commands, runs of other fleets. */
  readonly events: readonly FleetEvent[];
  /** How long each action and each report is under way. */
  readonly latencyMs: number;
  /** After which time a person rolls back a cluster that is held for judgement; null for never. */
  readonly personMs: number | null;
}

export interface SimulatedEnd {
  readonly state: FleetState;
  readonly journal: readonly JournalRow[];
}

/** Called after each event, for checks. */
type Watch = (before: FleetState, event: FleetEvent, after: FleetState) => void;

/** Runs the rule itself against clusters that behave as described, until nothing more happens. */
export function simulateFleet(
  given: FleetState,
  simulation: Simulation,
  watch: Watch = () => undefined,
): SimulatedEnd {
  const members = simulation.rows.flatMap((behaviour, index) =>
    given.rows.slice(index, index + 1).map((row) => newMember(row, behaviour)),
  );
  const { outages, latencyMs } = simulation;
  let pending: readonly PendingEvent[] = [
    ...[{ kind: 'tick', atMs: given.nowMs } as const, ...simulation.events].map(fromOutside),
    ...members.flatMap((member) => carryOn(member, given.nowMs, outages)),
  ];
  let state = given;
  for (let next = first(pending, state); next !== null; next = first(pending, state)) {
    const { event } = next;
    const before = state;
    const after = advanceFleet(state, inFleet(event, state));
    state = after.state;
    watch(before, event, state);
    pending = pending.filter((each) => each !== next);
    for (const member of members) account(member, state);
    for (const action of after.actions) {
      // A member that pauses does so outside of this simulation.
      if (!('row' in action)) continue;
      for (const member of members.slice(action.row, action.row + 1)) {
        pending = [...pending, ...obey(member, action, state.nowMs + 2 * latencyMs, outages)];
      }
    }
    pending = pending.filter(isValid);
    pending = [...pending, ...judgements(before, state, simulation)];
  }
  return { state, journal: members.map(journalRow) };
}

function newMember(row: Row, behaviour: RowBehaviour): SimulatedMember {
  const { index, sequence } = row;
  return { index, behaviour, row, changeMs: 0, soakMs: 0, orders: 0, sequence };
}

function fromOutside(event: FleetEvent): PendingEvent {
  return { event, of: null };
}

function inFleet(event: FleetEvent, { fleetRun }: FleetState): FleetEvent {
  return event.kind === 'report' ? { ...event, report: { ...event.report, fleetRun } } : event;
}

function isValid({ of }: PendingEvent): boolean {
  return of === null || of.member.orders === of.order;
}

/** The earliest event, or the tick that the rule asks for before it; null at the end. */
function first(pending: readonly PendingEvent[], state: FleetState): PendingEvent | null {
  const tickMs = nextTickMs(state);
  const tick = tickMs === null ? [] : [fromOutside({ kind: 'tick', atMs: tickMs })];
  return [...pending, ...tick].reduce<PendingEvent | null>(
    (least, each) => (least === null || each.event.atMs < least.event.atMs ? each : least),
    null,
  );
}

/** Adds the time since the last event to what the member did in it. */
function account(member: SimulatedMember, { rows, nowMs }: FleetState): void {
  for (const row of rows.slice(member.index, member.index + 1)) {
    if (row === member.row) continue;
    const { row: was } = member;
    if (isMoving(was)) member.changeMs += nowMs - was.sinceMs;
    if (was.phase === 'soaking') member.soakMs += nowMs - was.sinceMs;
    member.row = row;
  }
}

function judgements(
  before: FleetState,
  { fleetRun, rows, nowMs }: FleetState,
  { personMs }: Simulation,
): readonly PendingEvent[] {
  if (personMs === null) return [];
  return rows
    .filter((row) => row.phase === 'parked' && !row.heals)
    .filter(({ index }) => before.rows[index]?.phase !== 'parked')
    .map(({ index, grant }) => {
      const commandId = `judged ${index} ${grant}`;
      const scope = { kind: 'rows', rows: [index] } as const;
      const word = { actor: 'forecast', reason: 'judged', order: { verb: 'rollBack' } } as const;
      return fromOutside({
        kind: 'command',
        atMs: nowMs + personMs,
        command: { commandId, fleetRun, scope, ...word },
      });
    });
}

function journalRow({ row, changeMs, soakMs }: SimulatedMember): JournalRow {
  const { name, canary, groups, phase } = row;
  return { name, canary, groups, proven: phase === 'proven', changeMs, soakMs };
}
