import { advanceFleet } from './advance-fleet.js';
import { newAgenda, type Agenda } from './agenda.js';
import type { FleetAction, FleetEvent } from './fleet-events.js';
import type { FleetState, Row } from './fleet-state.js';
import type { JournalRow } from './lower-bound.js';
import { isMoving } from './fleet-rows.js';
import { ALONE } from './other-runs.js';
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
  /** Asked before each event: whether there is no time for more. */
  readonly isCut?: () => boolean;
}

export interface SimulatedEnd {
  readonly state: FleetState;
  readonly journal: readonly JournalRow[];
  /** Nothing more happens; false where it was cut. */
  readonly isWhole: boolean;
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
  const { outages } = simulation;
  const agenda = newAgenda([
    ...[{ kind: 'tick', atMs: given.nowMs } as const, ...simulation.events].map(fromOutside),
    ...members.flatMap((member) => carryOn(member, given.nowMs, outages)),
    ...judged(
      members.filter(({ row }) => needsJudgement(row)),
      given,
      simulation.personMs,
    ),
  ]);
  // What others do while it runs is not ours to guess: they count as ended.
  let state: FleetState = { ...given, otherRuns: ALONE };
  for (let event = next(agenda, state); event !== null; event = next(agenda, state)) {
    if (simulation.isCut?.() === true) return { ...endOf(state, members), isWhole: false };
    const before = state;
    const after = advanceFleet(state, inFleet(event, state));
    state = after.state;
    watch(before, event, state);
    const touched = touchedBy(event, after.actions, members);
    for (const member of touched) account(member, state);
    agenda.add(consequences(after.actions, members, state, simulation));
    agenda.add(judgements(before, state, touched, simulation));
  }
  return { ...endOf(state, members), isWhole: true };
}

function endOf(
  state: FleetState,
  members: readonly SimulatedMember[],
): Omit<SimulatedEnd, 'isWhole'> {
  for (const member of members) account(member, state);
  return { state, journal: members.map(journalRow) };
}

/** The members that an event may have changed, in the order of their rows; a command about a part of the fleet may mean any. */
function touchedBy(
  event: FleetEvent,
  actions: readonly FleetAction[],
  members: readonly SimulatedMember[],
): readonly SimulatedMember[] {
  const rows = actions.flatMap((action) => ('row' in action ? [action.row] : []));
  if (event.kind === 'report') rows.push(event.report.row);
  if (event.kind === 'command') {
    const { scope } = event.command;
    if (scope.kind !== 'rows') return members;
    rows.push(...scope.rows);
  }
  return [...new Set(rows)].sort((a, b) => a - b).flatMap((row) => members.slice(row, row + 1));
}

function consequences(
  actions: readonly FleetAction[],
  members: readonly SimulatedMember[],
  { nowMs }: FleetState,
  { latencyMs, outages }: Simulation,
): readonly PendingEvent[] {
  return actions.flatMap((action) =>
    // A member that pauses does so outside of this simulation.
    'row' in action
      ? members
          .slice(action.row, action.row + 1)
          .flatMap((member) => obey(member, action, nowMs + 2 * latencyMs, outages))
      : [],
  );
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

/** The next event, or the tick that the rule asks for before it; null at the end. */
function next(agenda: Agenda, state: FleetState): FleetEvent | null {
  const tickMs = nextTickMs(state);
  const event = agenda.takeBefore(tickMs ?? Infinity);
  return event ?? (tickMs === null ? null : { kind: 'tick', atMs: tickMs });
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

/** A person's word about each cluster that has come to need it. */
function judgements(
  before: FleetState,
  state: FleetState,
  touched: readonly SimulatedMember[],
  { personMs }: Simulation,
): readonly PendingEvent[] {
  const held = touched.filter(
    ({ index, row }) => needsJudgement(row) && before.rows[index]?.phase !== 'parked',
  );
  return judged(held, state, personMs);
}

function needsJudgement({ phase, heals, ready }: Row): boolean {
  return phase === 'parked' && !heals && !ready;
}

function judged(
  held: readonly SimulatedMember[],
  { fleetRun, nowMs }: FleetState,
  personMs: number | null,
): readonly PendingEvent[] {
  if (personMs === null) return [];
  return held.map(({ row: { index, grant } }) => {
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
