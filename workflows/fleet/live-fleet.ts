import { workflowInfo } from '@temporalio/workflow';
import type {
  CarriedFleet,
  FleetMigrationInput,
  FleetSettings,
  RevisionOrder,
} from '../../activities/fleet-input.js';
import { advanceFleet } from '../../domain/fleet/advance-fleet.js';
import {
  type CommandReach,
  type Telling,
  reachOf,
  withTelling,
} from '../../domain/fleet/command-reach.js';
import { automationOfFleet } from '../../domain/fleet/automated-commands.js';
import { decodeFleet, encodeFleet } from '../../domain/fleet/encoded-fleet.js';
import type { ClaimedEnd } from '../../domain/fleet/claimed-ends.js';
import type { FleetEvent, MemberReport } from '../../domain/fleet/fleet-events.js';
import { EMPTY_OUTBOX, type FleetOutbox, withActions } from '../../domain/fleet/fleet-outbox.js';
import { type FleetState, beginFleet } from '../../domain/fleet/fleet-state.js';
import { reopenFleet } from '../../domain/fleet/reopen-fleet.js';
import { type RowRequest, requesterOf, withRequest } from '../../domain/fleet/requests.js';

/** A fleet between two events: the state of the rule, and what its decisions still have to become. */
export interface LiveFleet {
  state: FleetState;
  outbox: FleetOutbox;
  requests: readonly RowRequest[];
  /** What runs are started with from the next execution on: activities read them from its first event. */
  settings: FleetSettings;
  /** The last new plan; the next execution goes on by it. */
  revision: RevisionOrder | null;
  /** When silent rows were described last. */
  sweptAtMs: number;
  /** Until when openings of scheduled waves are known. */
  openUntilMs: number;
  /** Rows whose start is in flight. */
  starting: readonly number[];
  /** Rows whose message is in flight. */
  telling: readonly number[];
  /** Whom the last commands have to be told to. Not carried: a later execution does not know. */
  tellings: readonly Telling[];
  /** Rows whose run has ended without a report that arrived. */
  over: readonly number[];
  /** Reports of rows whose start has not been answered. */
  early: readonly MemberReport[];
  /** Ends that runs report, until their runs have been described. */
  claims: readonly ClaimedEnd[];
  /** Rows that no message reaches, with the time of the next try. */
  unreached: readonly { readonly row: number; readonly untilMs: number }[];
  /** Regions that no worker serves, as the last sweep found them. */
  unservedRegions: readonly string[];
}

/** What is carried from an earlier fleet, and not from an earlier execution of this one, is opened again. */
export function openFleet({ given, carried }: FleetMigrationInput): LiveFleet {
  const nowMs = Date.now();
  const { firstExecutionRunId: fleetRun } = workflowInfo();
  const shown = {
    starting: [],
    telling: [],
    tellings: [],
    over: [],
    early: carried?.heard ?? [],
    claims: [],
    unreached: [],
    unservedRegions: [],
    revision: null,
  };
  if (carried !== null) {
    const { outbox, requests, sweptAtMs, openUntilMs } = carried;
    const decoded = decodeFleet(carried.state);
    const isOurs = decoded.fleetRun === fleetRun;
    const state = isOurs ? decoded : reopenFleet(decoded, fleetRun, nowMs);
    const settings = settingsOf(carried);
    return { state, outbox, requests, settings, sweptAtMs, openUntilMs, ...shown };
  }
  if (given === null) throw new Error('a fleet needs a plan or a state');
  return {
    state: beginFleet({ ...given.plan, fleetRun }, nowMs),
    ...{ outbox: EMPTY_OUTBOX, requests: [] },
    settings: settingsOf(given),
    ...{ sweptAtMs: nowMs, openUntilMs: 0, ...shown },
  };
}

/** What the next execution needs to go on. */
export function carriedFleet(fleet: LiveFleet): CarriedFleet {
  const { state, outbox, requests, sweptAtMs, openUntilMs, early, claims } = fleet;
  const left = { state: encodeFleet(state), outbox, requests, sweptAtMs, openUntilMs };
  const heard = [...early, ...claims.map(({ report }) => report)];
  return { ...left, ...(heard.length === 0 ? {} : { heard }), ...settingsOf(fleet.settings) };
}

function settingsOf({ waves, members, authority }: FleetSettings): FleetSettings {
  return { waves, members, ...(authority === undefined ? {} : { authority }) };
}

/** Runs the rule on one event; what it decides goes into the outbox. */
export function applyEvent(
  fleet: LiveFleet,
  { actor, reason }: Pick<FleetMigrationInput, 'actor' | 'reason'>,
  event: FleetEvent,
): void {
  const before = fleet.state;
  const command = event.kind === 'command' ? event.command : null;
  const next = advanceFleet(before, withPolicies(fleet, event));
  if (command !== null) {
    fleet.requests = withRequest(fleet.requests, before, next.state, command);
    fleet.tellings = withTelling(fleet.tellings, command.commandId, next.actions);
  }
  const requester = { actor, reason };
  const asked = {
    forRow: (row: number) => requesterOf(fleet.requests, row) ?? requester,
    now: command === null ? requester : { actor: command.actor, reason: command.reason },
  };
  fleet.state = next.state;
  fleet.outbox = withActions(fleet.outbox, next, asked);
}

/** What automation may do is for the policies of the waves to say. */
function withPolicies({ settings }: LiveFleet, event: FleetEvent): FleetEvent {
  if (event.kind !== 'command') return event;
  return { ...event, automation: automationOfFleet(settings.waves.map(({ policy }) => policy)) };
}

/** Whom a command has not reached by now; null where this execution does not know. */
export function reachOfCommand(
  { state, outbox, telling, tellings, unreached }: LiveFleet,
  commandId: string,
): CommandReach | null {
  return reachOf(
    state,
    tellings.find((each) => each.commandId === commandId),
    {
      undelivered: [...telling, ...outbox.messages.map(({ row }) => row)],
      away: unreached.map(({ row }) => row),
    },
  );
}
