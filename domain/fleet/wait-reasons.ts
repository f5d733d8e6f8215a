import { isAutomation } from '../run/automation.js';
import { awaitedWord, type Word } from './awaited-word.js';
import type { HeldGroup } from './correlation.js';
import { WHOLE_FLEET } from './fleet-state.js';
import type { Brake, FleetState, Opening, Row, RowCause } from './fleet-state.js';
import { gateOf, headroomOf, inFlightLimit, type Headroom } from './headroom.js';
import { othersIn } from './other-runs.js';
import { cappedGroups } from './capped-groups.js';
import type { WaveStanding } from './waves.js';

/** Of a wave in which nothing may start yet. */
type ClosedStanding = Extract<
  WaveStanding,
  { readonly kind: 'order' | 'startTime' | 'rejected' | 'approvalBefore' }
>;

/** What a row waits for. */
export type WaitReason =
  | {
      readonly kind: 'paused' | 'frozen';
      readonly actor: string;
      readonly reason: string;
    }
  | { readonly kind: 'deadline'; readonly atMs: number }
  | { readonly kind: 'lastPass' }
  /** It was told to stop and has not ended. */
  | { readonly kind: 'stopping' }
  | { readonly kind: 'wave'; readonly standing: ClosedStanding }
  | { readonly kind: 'canary' }
  | {
      readonly kind: 'retry';
      readonly cause: RowCause;
      readonly signature: string;
      readonly atMs: number;
    }
  | ({ readonly kind: 'group'; readonly group: string } & HeldGroup)
  /** `opensAtMs` null: no known opening is long enough. */
  | {
      readonly kind: 'window';
      readonly closedBy: Opening['closedBy'];
      readonly opensAtMs: number | null;
    }
  /** `others`: how many runs that are not of this fleet are in the way, too. */
  | {
      readonly kind: 'cap';
      readonly group: string;
      readonly cap: number;
      readonly others: number;
    }
  /** What others change in its group has not been counted, or too long ago; null for never. */
  | { readonly kind: 'others'; readonly group: string; readonly countedAtMs: number | null }
  | { readonly kind: 'inFlight'; readonly moving: number; readonly limit: number }
  | { readonly kind: 'unproven'; readonly unproven: number; readonly limit: number }
  | {
      readonly kind: 'budget';
      readonly burnt: number;
      readonly atRisk: number;
      readonly limit: number;
    }
  | { readonly kind: 'healing'; readonly signature: string }
  /** `word`: only that is missing, nothing is to be judged. */
  | {
      readonly kind: 'person';
      readonly signature: string;
      readonly cause: RowCause;
      readonly word: Word | null;
    };

type Check = (state: FleetState, headroom: Headroom, row: Row) => WaitReason | null;

/** Whether it may begin now, however many others do. */
const BEGIN: readonly Check[] = [
  brake,
  deadline,
  lastPass,
  waveNotOpen,
  canary,
  retry,
  heldGroup,
  closedWindow,
];

const START: readonly Check[] = [...BEGIN, ownCap, sharedCap, startLimit, unprovenLimit, budget];

/**
 * A parked row is at risk and unproven already, so neither limit counts it again. Its run is open, so that others count it all the
 * time: if it waited for theirs, two fleets with parked rows would wait for each other for ever.
 */
const REGRANT: readonly Check[] = [parkedFor, brake, failedGroup, closedWindow, ownCap, inFlight];

/** No approval, window, budget or alert delays a rollback, nor what others do. */
const ROLLBACK: readonly Check[] = [brakeOfRollback, retry, ownCap, inFlight];

/** Why a row does not start, or null when it may. */
export function startObstacle(...given: Parameters<Check>): WaitReason | null {
  return firstOf(START, given);
}

/** Why a row that has a slot must not begin to use it any more, or null when it may. */
export function beginObstacle(state: FleetState, headroom: Headroom, row: Row): WaitReason | null {
  // It was admitted, in the last pass or because a person asked for it.
  return firstOf(BEGIN, [state, headroom, { ...row, asked: true }]);
}

export function regrantObstacle(...given: Parameters<Check>): WaitReason | null {
  return firstOf(REGRANT, given);
}

export function rollbackObstacle(...given: Parameters<Check>): WaitReason | null {
  return firstOf(ROLLBACK, given);
}

/** Whether the limits that count every row leave nothing to start. */
export function startsNothing(state: FleetState, headroom: Headroom): boolean {
  return startLimit(state, headroom) !== null || unprovenLimit(state, headroom) !== null;
}

export function hasNoSlot(state: FleetState, headroom: Headroom): boolean {
  return inFlight(state, headroom) !== null;
}

function firstOf(checks: readonly Check[], given: Parameters<Check>): WaitReason | null {
  for (const check of checks) {
    const reason = check(...given);
    if (reason !== null) return reason;
  }
  return null;
}

/** What a row waits for; null for one that moves or soaks by itself, or has ended. */
export function waitReason(state: FleetState, row: Row): WaitReason | null {
  return waitReasonWith(state, headroomOf(state), row);
}

/** The same where the headroom is counted once for many rows. */
export function waitReasonWith(state: FleetState, headroom: Headroom, row: Row): WaitReason | null {
  if (row.rollbackQueued) return rollbackObstacle(state, headroom, row);
  if (row.phase === 'parked') return regrantObstacle(state, headroom, row);
  return row.phase === 'waiting' ? startObstacle(state, headroom, row) : missingWord(row);
}

/** A stall or a soak that only a person's word ends looks like one that ends by itself. */
function missingWord(row: Row): WaitReason | null {
  const word = awaitedWord(row);
  const { signature, cause } = row;
  return word === null ? null : { kind: 'person', signature, cause, word };
}

function brake({ brakes }: FleetState, _: Headroom, row: Row): WaitReason | null {
  return heldBy(brakes, row);
}

/** An alert comes of the same harm as a rollback, and holds what goes forward only. A rehearsal goes back to go forward again. */
function brakeOfRollback({ brakes }: FleetState, _: Headroom, row: Row): WaitReason | null {
  return heldBy(row.rehearsal === 'back' ? brakes : brakesOfPeople(brakes), row);
}

export function brakesOfPeople(brakes: readonly Brake[]): readonly Brake[] {
  return brakes.filter(({ actor }) => !isAutomation(actor));
}

function heldBy(brakes: readonly Brake[], row: Row): WaitReason | null {
  const found = brakes.find((each) => covers(each.scope, row));
  if (found === undefined) return null;
  const { kind, actor, reason } = found;
  return { kind: kind === 'freeze' ? 'frozen' : 'paused', actor, reason };
}

/** Whether a brake holds a row. */
export function covers(scope: Brake['scope'], row: Row): boolean {
  switch (scope.kind) {
    case 'fleet':
      return true;
    case 'wave':
      return scope.wave === row.wave;
    case 'rows':
      return scope.rows.includes(row.index);
  }
}

function deadline({ nowMs, policy }: FleetState): WaitReason | null {
  const { deadlineMs } = policy;
  return deadlineMs !== null && nowMs >= deadlineMs ? { kind: 'deadline', atMs: deadlineMs } : null;
}

function lastPass({ lastPassBegun }: FleetState, _: Headroom, row: Row): WaitReason | null {
  return row.lastPass && !row.asked && !lastPassBegun ? { kind: 'lastPass' } : null;
}

function waveNotOpen(_: FleetState, headroom: Headroom, row: Row): WaitReason | null {
  const { standing } = gateOf(headroom, row);
  switch (standing.kind) {
    case 'running':
    case 'short':
    case 'approvalAfter':
    case 'over':
      return null;
    case 'order':
    case 'startTime':
    case 'rejected':
    case 'approvalBefore':
      return { kind: 'wave', standing };
  }
}

function canary(_: FleetState, headroom: Headroom, row: Row): WaitReason | null {
  const { canariesPassed } = gateOf(headroom, row);
  return row.canary || canariesPassed ? null : { kind: 'canary' };
}

function retry({ nowMs }: FleetState, _: Headroom, row: Row): WaitReason | null {
  const { notBeforeMs: atMs, cause, signature } = row;
  return nowMs < atMs ? { kind: 'retry', cause, signature, atMs } : null;
}

function heldGroup(_: FleetState, { held }: Headroom, row: Row): WaitReason | null {
  for (const group of [WHOLE_FLEET, ...row.groups]) {
    const found = held.get(group);
    if (found !== undefined) return { kind: 'group', group, ...found };
  }
  return null;
}

/** A cluster that has healed speaks against the stalls of its group; a person who asks has seen the failures. */
function failedGroup(state: FleetState, headroom: Headroom, row: Row): WaitReason | null {
  const found = row.asked ? null : heldGroup(state, headroom, row);
  return found?.kind === 'group' && found.by === 'failures' ? found : null;
}

/** A cluster may take half as long again as expected. */
const MARGIN = 1.5;

function closedWindow({ nowMs }: FleetState, headroom: Headroom, row: Row): WaitReason | null {
  const { scheduled, openings } = gateOf(headroom, row);
  if (!scheduled) return null;
  const neededMs = MARGIN * row.expectedMs;
  const next = openings.find(
    ({ opensAtMs, closesAtMs }) => Math.max(opensAtMs, nowMs) + neededMs <= closesAtMs,
  );
  if (next === undefined) return { kind: 'window', closedBy: 'window', opensAtMs: null };
  const { opensAtMs, closedBy } = next;
  return opensAtMs <= nowMs ? null : { kind: 'window', closedBy, opensAtMs };
}

function ownCap({ policy }: FleetState, { movingIn }: Headroom, row: Row): WaitReason | null {
  for (const [group, cap] of cappedGroups(policy, row)) {
    if (movingIn(group) >= cap) return { kind: 'cap', group, cap, others: 0 };
  }
  return null;
}

function sharedCap(state: FleetState, { movingIn }: Headroom, row: Row): WaitReason | null {
  for (const [group, cap] of cappedGroups(state.policy, row)) {
    const others = othersIn(state, group);
    if (others === null) return { kind: 'others', group, countedAtMs: countedAt(state) };
    if (movingIn(group) + others >= cap) return { kind: 'cap', group, cap, others };
  }
  return null;
}

function countedAt({ otherRuns }: FleetState): number | null {
  return otherRuns.kind === 'counted' ? otherRuns.atMs : null;
}

function startLimit(state: FleetState, headroom: Headroom): WaitReason | null {
  return movingBelow(headroom, inFlightLimit(state, headroom));
}

function inFlight({ policy }: FleetState, headroom: Headroom): WaitReason | null {
  return movingBelow(headroom, policy.inFlight);
}

function movingBelow({ moving }: Headroom, limit: number): WaitReason | null {
  return moving < limit ? null : { kind: 'inFlight', moving, limit };
}

function unprovenLimit({ policy }: FleetState, { unproven }: Headroom): WaitReason | null {
  const limit = policy.unproven;
  return unproven < limit ? null : { kind: 'unproven', unproven, limit };
}

/** A row that burnt is in the count already. */
function budget({ policy }: FleetState, { burnt, atRisk }: Headroom, row: Row): WaitReason | null {
  const limit = policy.budget.clusters;
  if (row.burntMs !== null || burnt + atRisk < limit) return null;
  return { kind: 'budget', burnt, atRisk, limit };
}

function parkedFor(_: FleetState, _headroom: Headroom, row: Row): WaitReason | null {
  if (row.stopping) return { kind: 'stopping' };
  if (row.asked || row.ready) return null;
  const { signature, cause, heals } = row;
  const healing: WaitReason = { kind: 'healing', signature };
  const judged: WaitReason = { kind: 'person', signature, cause, word: null };
  return missingWord(row) ?? (heals ? healing : judged);
}
