import { withCorrelation } from './correlation.js';
import type { FleetEvent, FleetTransition, MemberReport, ReportKind } from './fleet-events.js';
import { BACK, FORWARD } from './fleet-plan.js';
import type { FleetState, Row } from './fleet-state.js';
import { notStarted } from './start-answers.js';
import {
  changed,
  ended,
  goingForward,
  inPhase,
  isUnproven,
  parkRow,
  startRow,
  turnRow,
  unchanged,
  wasChanged,
  withRow,
} from './fleet-rows.js';

type Held = Extract<ReportKind, { kind: 'held' }>;
type Turned = Extract<ReportKind, { kind: 'turned' }>;
type Ended = Extract<ReportKind, { kind: 'ended' }>;
type Swept = Extract<FleetEvent, { kind: 'swept' }>;

/**
 * A report counts once, for the fleet run, the row and the grant that it names. One that is late, repeated or for an earlier
 * fleet of the same name changes nothing.
 */
export function applyReport(state: FleetState, report: MemberReport): FleetTransition {
  const { fleetRun, sequence, what } = report;
  const row = openRow(state, report.row, report.grant);
  if (row === null || fleetRun !== state.fleetRun || sequence <= row.sequence) {
    return unchanged(state);
  }
  return applyKind(state, { ...row, sequence }, what);
}

/** A sweep describes the run itself, so that a lost report is found and a terminated member counts. */
export function applySweep(
  state: FleetState,
  { row: index, grant, found }: Swept,
): FleetTransition {
  const row = openRow(state, index, grant);
  if (row === null) return unchanged(state);
  if (found.kind !== 'terminated') return applyKind(state, row, found);
  const failed = ended(state, row, { phase: 'failed', signature: 'terminated' });
  // What a terminated run had done is unknown, so that its cluster counts as changed.
  return changed(burn(state, failed, true), burntRow(state, failed, true));
}

/** The row of an open run; null when it has ended, does not exist or has another grant by now. */
function openRow(state: FleetState, index: number, grant: number): Row | null {
  const row = state.rows[index];
  return row !== undefined && row.grant === grant && isUnproven(row) ? row : null;
}

function applyKind(state: FleetState, row: Row, what: ReportKind): FleetTransition {
  switch (what.kind) {
    case 'soaking':
      return changed(state, onSoaking(state, row));
    case 'held':
      return what.heals ? changed(state, onStall(state, row, what)) : onHold(state, row, what);
    case 'parked':
      return changed(state, onParked(state, row));
    case 'ready':
      return changed(state, onReady(state, row));
    case 'turned':
      return onTurned(state, row, what);
    case 'ended':
      return onEnded(state, row, what);
  }
}

/** Of a rollback only the end counts. */
function onSoaking(state: FleetState, row: Row): Row {
  if (row.target === BACK || row.phase === 'soaking') return row;
  const passed = { passedMs: row.passedMs ?? state.nowMs, signature: '', heals: false };
  return inPhase(state, row, { phase: 'soaking', ready: false, asked: false, ...passed });
}

/** Burns nothing. A moving row keeps its slot for a while. A soak that lasted too long is for a person, whatever heals in it. */
function onStall(state: FleetState, row: Row, { signature, reversibility }: Held): Row {
  const said = { signature, reversibility, heals: row.cause !== 'soakLimit', ready: false };
  // A stall that goes on keeps its first time; a soak holds no slot.
  return row.phase === 'active'
    ? inPhase(state, row, { phase: 'stalled', ...said })
    : { ...row, ...said };
}

/** A measured failure, or a hold that needs judgement. */
function onHold(state: FleetState, row: Row, held: Held): FleetTransition {
  const { signature, reversibility, changed: isChanged } = held;
  const said: Row = { ...row, signature, reversibility, heals: false, ready: false };
  const burnt = burntRow(state, said, isChanged);
  const counted = burn(state, said, isChanged);
  if (rollsBack(state, burnt, isChanged)) return turnRow(counted, burnt, BACK, false);
  if (row.phase === 'soaking') return parkRow(counted, burnt, { phase: 'parked', cause: 'none' });
  const hasSlot = row.phase === 'active' || row.phase === 'stalled';
  return hasSlot ? parkRow(counted, burnt, {}) : changed(counted, burnt);
}

function rollsBack({ policy }: FleetState, row: Row, isChanged: boolean): boolean {
  const { target, reversibility, stopping } = row;
  const wanted = policy.onFailure === 'rollBack' && target === FORWARD && !stopping;
  return wanted && isChanged && reversibility !== 'no';
}

/** A failure counts once for each row, after a change, and not in a rollback that a person asked for. */
function burntRow({ nowMs }: FleetState, row: Row, isChanged: boolean): Row {
  const burns = isChanged && !row.turnedByPerson && row.burntMs === null;
  return burns ? { ...row, burntMs: nowMs, burntBy: row.signature } : row;
}

function burn(state: FleetState, row: Row, isChanged: boolean): FleetState {
  const burnt = burntRow(state, row, isChanged);
  return burnt.burntMs === null ? state : withCorrelation(withRow(state, burnt), burnt);
}

/** Also one that was told to park and began its soak before it heard of that: it waits for a slot now, and soaks no longer. */
function onParked(state: FleetState, row: Row): Row {
  return row.phase === 'parked' ? row : inPhase(state, row, { phase: 'parked' });
}

/** Only a hold that heals can be over without a person, and never a soak that lasted too long. */
function onReady(state: FleetState, row: Row): Row {
  if (row.phase === 'stalled') {
    return inPhase(state, row, { phase: 'active', heals: false, signature: '' });
  }
  if (row.phase === 'soaking') return { ...row, heals: false, signature: '' };
  const parks = row.phase === 'parking' || row.phase === 'parked';
  const isOver = row.cause !== 'soakLimit' && (row.heals || row.burntMs === null);
  return parks ? { ...row, ready: isOver } : row;
}

/** It moves whatever its slot was: a rollback is not delayed. One that no person asked for burns as soon as it begins. */
function onTurned(
  state: FleetState,
  row: Row,
  { target, byPerson, changed: isChanged, signature, reversibility }: Turned,
): FleetTransition {
  const isBack = target === BACK;
  const said: Row = { ...row, signature, reversibility, turnedByPerson: byPerson && isBack };
  const counts = isChanged && isBack;
  const active = inPhase(state, burntRow(state, said, counts), {
    ...{ phase: 'active', target, ...(isBack ? {} : goingForward(row)) },
    ...{ ready: false, asked: false, heals: false, rollbackQueued: false, changeFromMs: null },
    cause: 'none',
  });
  return changed(burn(state, said, counts), active);
}

function onEnded(state: FleetState, row: Row, what: Ended): FleetTransition {
  const { signature, reversibility } = what;
  const said: Row = { ...row, signature, reversibility };
  switch (what.outcome) {
    case 'proven':
      return onProven(state, said);
    case 'stopped':
      return changed(state, ended(state, said, { phase: 'stopped' }));
    case 'back':
      return onBack(state, said, what);
    case 'failed':
      return onFailed(state, said, what.changed);
    case 'refused':
      return what.changed || wasChanged(row)
        ? onFailed(state, said, what.changed)
        : changed(state, ended(state, said, { phase: 'skipped', cause: 'refused' }));
    // As if its start had been answered so: the run ended before its first change.
    case 'drifted':
    case 'busy':
      return changed(
        state,
        notStarted(state, unbegun(row, what), what.outcome, state.policy[what.outcome]),
      );
  }
}

/** What a run that changed nothing saw of a rollback says nothing about what this fleet has done. */
function unbegun(row: Row, { changed: isChanged, signature, reversibility }: Ended): Row {
  return { ...row, signature, ...(isChanged ? { reversibility } : {}) };
}

/** A run that was told to turn when it had just ended is followed by one that goes back. */
function onProven(state: FleetState, row: Row): FleetTransition {
  const passedMs = row.passedMs ?? state.nowMs;
  if (row.target === BACK && !row.stopping) return startRow(state, { ...row, passedMs }, BACK);
  if (rehearses(state, row)) {
    const goesBack = { rehearsal: 'back', rollbackQueued: true, notBeforeMs: state.nowMs } as const;
    return changed(state, ended(state, row, { phase: 'proven', passedMs, ...goesBack }));
  }
  return changed(state, ended(state, row, { phase: 'proven', passedMs }));
}

/** Once, and not in a run that is told to stop. */
function rehearses({ waves }: FleetState, row: Row): boolean {
  const isWanted = row.canary && waves[row.wave]?.rehearseRollback === true;
  return isWanted && row.rehearsal === 'none' && !row.stopping;
}

function onBack(
  state: FleetState,
  row: Row,
  { changed: isChanged, asked }: Ended,
): FleetTransition {
  if (row.rehearsal === 'back' && !row.stopping) {
    const again = { phase: 'waiting', target: FORWARD, rehearsal: 'forward' } as const;
    return changed(state, ended(state, row, { ...again, rollbackQueued: false }));
  }
  const back = ended(state, row, { phase: 'back', rollbackQueued: false });
  const counts = isChanged && !asked;
  return changed(burn(state, back, counts), burntRow(state, back, counts));
}

function onFailed(state: FleetState, row: Row, isChanged: boolean): FleetTransition {
  const burnt = burntRow(state, row, isChanged);
  const counted = burn(state, row, isChanged);
  if (rollsBack(state, burnt, isChanged)) return startRow(counted, burnt, BACK);
  return changed(counted, ended(state, burnt, { phase: 'failed' }));
}
