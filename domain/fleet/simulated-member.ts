import type { FleetAction, FleetEvent, ReportKind } from './fleet-events.js';
import { BACK } from './fleet-plan.js';
import type { Row } from './fleet-state.js';
import { isMoving } from './fleet-rows.js';

/** How one cluster behaves: how long it takes, and whether and when it fails. */
export interface RowBehaviour {
  readonly changeMs: number;
  readonly soakMs: number;
  readonly backMs: number;
  readonly fails: { readonly afterMs: number; readonly signature: string } | null;
}

/** A group is away for a time: its changing clusters stall and heal. */
export interface GroupOutage {
  readonly group: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A member of a simulated fleet, and the account of its times. */
export interface SimulatedMember {
  readonly index: number;
  readonly behaviour: RowBehaviour;
  row: Row;
  changeMs: number;
  soakMs: number;
  /** Counts what it was told to do; what followed from an earlier order is void. */
  orders: number;
  sequence: number;
}

export interface PendingEvent {
  readonly event: FleetEvent;
  readonly of: { readonly member: SimulatedMember; readonly order: number } | null;
}

/** What a member reports when, counted from the order. */
type Script = readonly { readonly afterMs: number; readonly what: ReportKind }[];

const HEALS: Script = [{ afterMs: 0, what: { kind: 'ready' } }];
const PARKS: Script = [{ afterMs: 0, what: { kind: 'parked' } }];

const DONE = { changed: true, signature: '', asked: false, reversibility: 'yes' } as const;

/** What a member will report after an action. */
export function obey(
  member: SimulatedMember,
  action: Extract<FleetAction, { row: number }>,
  nowMs: number,
  outages: readonly GroupOutage[],
): readonly PendingEvent[] {
  switch (action.kind) {
    case 'start':
    case 'grant':
    case 'turn':
      return play(member, nowMs, travel(member, action.target === BACK, nowMs, outages));
    case 'park':
      return play(member, nowMs, [...PARKS, ...healing(member, nowMs, outages)]);
    case 'withdraw':
      return play(member, nowMs, [
        { afterMs: 0, what: { kind: 'ended', outcome: 'stopped', ...DONE } },
      ]);
  }
}

/** A parked member is ready when its group is no longer away. */
function healing({ row }: SimulatedMember, nowMs: number, outages: readonly GroupOutage[]): Script {
  return outages
    .filter(({ group, untilMs }) => row.groups.includes(group) && nowMs < untilMs)
    .map(({ untilMs }) => ({ afterMs: untilMs - nowMs, what: { kind: 'ready' } }));
}

/** What the members of a live fleet still have to do. */
export function carryOn(
  member: SimulatedMember,
  nowMs: number,
  outages: readonly GroupOutage[],
): readonly PendingEvent[] {
  const { row } = member;
  const behaviour = restOf(member, nowMs);
  if (row.phase === 'soaking') return play(member, nowMs, soak(0, behaviour.soakMs));
  if (row.phase === 'parking') return play(member, nowMs, PARKS);
  // What keeps it is not known, only that no person has to end it.
  if (row.phase === 'parked') return row.heals ? play(member, nowMs, HEALS) : [];
  if (!isMoving(row)) return [];
  const script = travel({ row, behaviour }, row.target === BACK, nowMs, outages);
  return play(member, nowMs, script);
}

/** Of something overdue no one knows how long it goes on: this share of what it takes. */
const OVERDUE = 0.1;

/** What is left of what a member does, by how long it has done it. */
function restOf({ row, behaviour }: SimulatedMember, nowMs: number): RowBehaviour {
  const { changeMs, soakMs, backMs, fails } = behaviour;
  const rest = (wholeMs: number, fromMs: number): number =>
    Math.round(Math.max(wholeMs + fromMs - nowMs, OVERDUE * wholeMs));
  if (row.phase === 'soaking') return { ...behaviour, soakMs: rest(soakMs, row.sinceMs) };
  const fromMs = row.changeFromMs ?? row.sinceMs;
  return {
    ...{ changeMs: rest(changeMs, fromMs), backMs: rest(backMs, fromMs), soakMs },
    fails: fails === null ? null : { ...fails, afterMs: rest(fails.afterMs, fromMs) },
  };
}

function soak(fromMs: number, soakMs: number): Script {
  return [
    { afterMs: fromMs, what: { kind: 'soaking' } },
    { afterMs: fromMs + soakMs, what: { kind: 'ended', outcome: 'proven', ...DONE } },
  ];
}

function travel(
  { behaviour, row }: Pick<SimulatedMember, 'behaviour' | 'row'>,
  back: boolean,
  nowMs: number,
  outages: readonly GroupOutage[],
): Script {
  const { changeMs, soakMs, backMs, fails } = behaviour;
  if (back) return [{ afterMs: backMs, what: { kind: 'ended', outcome: 'back', ...DONE } }];
  if (fails !== null) {
    const { afterMs, signature } = fails;
    const held = { heals: false, changed: true, signature, reversibility: 'yes' } as const;
    return [{ afterMs, what: { kind: 'held', ...held } }];
  }
  const outage = outages.find(
    ({ group, fromMs, untilMs }) =>
      row.groups.includes(group) && fromMs < nowMs + changeMs && nowMs < untilMs,
  );
  if (outage === undefined) return soak(changeMs, soakMs);
  const stallMs = Math.max(0, outage.fromMs - nowMs);
  const healMs = outage.untilMs - nowMs;
  const away = { changed: true, signature: 'unreachable', reversibility: 'yes' } as const;
  return [
    { afterMs: stallMs, what: { kind: 'held', heals: true, ...away } },
    { afterMs: healMs, what: { kind: 'ready' } },
    ...soak(healMs + changeMs - stallMs, soakMs),
  ];
}

function play(member: SimulatedMember, nowMs: number, script: Script): readonly PendingEvent[] {
  member.orders += 1;
  const { index, orders: order } = member;
  const { grant } = member.row;
  return script.map(({ afterMs, what }) => {
    member.sequence += 1;
    const report = { fleetRun: '', row: index, grant, sequence: member.sequence, what };
    return {
      event: { kind: 'report', atMs: nowMs + afterMs, report },
      of: { member, order },
    };
  });
}
