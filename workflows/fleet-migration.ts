import { CancellationScope, setHandler } from '@temporalio/workflow';
import type { Delivery } from '../activities/fleet-contract.js';
import type { FleetMigrationInput, FleetSettings } from '../activities/fleet-input.js';
import { encodeFleet } from '../domain/fleet/encoded-fleet.js';
import { refuseUnreadable } from '../domain/fleet/fleet-commands.js';
import { nextTickMs } from '../domain/fleet/timed.js';
import { isFleetOver } from '../domain/fleet/waves.js';
import { continueFleet, shouldContinue } from './fleet/continue-fleet.js';
import { openFleetAdmission, openRevisionAdmission } from './fleet/fleet-admission.js';
import { createAlarm } from './fleet/fleet-alarm.js';
import { countPhases, createFleetDisplay } from './fleet/fleet-display.js';
import { launchDue } from './fleet/fleet-calls.js';
import { type FleetLanes, openLanes } from './fleet/fleet-lanes.js';
import {
  type FleetMail,
  type FleetMailbox,
  type UntimedEvent,
  cancellationStopsFleet,
  openFleetMailbox,
  receiveFleetSignals,
} from './fleet/fleet-mailbox.js';
import { openingsDueMs, othersDueMs, sweepDueMs, wakeDueMs } from './fleet/fleet-times.js';
import { hearEarlyReports, hearReport, takeSweep } from './fleet/hear-reports.js';
import { revise } from './fleet/revise.js';
import { type LiveFleet, applyEvent, openFleet, reachOfCommand } from './fleet/live-fleet.js';
import { refuseBadFleet } from './fleet/refuse-bad-fleet.js';
import { type FleetOutcome, fleetAnswerQuery, fleetStateQuery } from './messages/fleet-messages.js';

/**
 * Moves the clusters of a fleet under one plan. `domain/fleet` decides, activities start and tell the runs of the clusters,
 * which report by signal. One loop takes everything from one mailbox, so that no two decisions are made at once.
 * The rule is part of this workflow, unlike the rules of a cluster's run, which activities apply (ADR 12): workers pin it (ADR 16).
 */
export async function fleetMigration(input: FleetMigrationInput): Promise<FleetOutcome> {
  refuseBadFleet(input);
  const mailbox = openFleetMailbox();
  const fleet = openFleet(input);
  setHandler(fleetStateQuery, () => encodeFleet(fleet.state));
  setHandler(fleetAnswerQuery, (commandId) => {
    const answer = fleet.state.answers[commandId];
    return answer === undefined ? null : { ...answer, reach: reachOfCommand(fleet, commandId) };
  });
  const settings = (): FleetSettings => fleet.settings;
  receiveFleetSignals(
    mailbox,
    openFleetAdmission(input, settings),
    openRevisionAdmission(input, settings),
  );
  cancellationStopsFleet(mailbox);
  return CancellationScope.nonCancellable(() => driveFleet(input, mailbox, fleet));
}

async function driveFleet(
  input: FleetMigrationInput,
  mailbox: FleetMailbox,
  fleet: LiveFleet,
): Promise<FleetOutcome> {
  const lanes = openLanes(mailbox);
  const alarm = createAlarm(mailbox);
  const display = createFleetDisplay(input, fleet);
  mailbox.put({ kind: 'event', event: { kind: 'tick' } });
  const heard = fleet.early;
  fleet.early = [];
  for (const report of heard) mailbox.put({ kind: 'reported', report });
  for (;;) {
    for (const mail of await mailbox.takeAll()) receive(input, fleet, mail);
    display.show(lanes.problems());
    if (lanes.isIdle() && mailbox.isEmpty()) {
      if (isFleetOver(fleet.state)) {
        const outcome = outcomeOf(fleet);
        display.showEnd(outcome);
        return outcome;
      }
      if (shouldContinue(input, fleet)) return continueFleet(input, fleet);
    }
    // Calls in flight are awaited; the next execution makes those that are due.
    if (shouldContinue(input, fleet)) continue;
    launchDue({ input, fleet, lanes, mailbox });
    alarm.set([nextTickMs(fleet.state), wakeDueMs(input), ...upcoming(input, fleet, lanes)]);
  }
}

/** When something becomes due. What is due already waits for a call in flight, whose end wakes the loop. */
function upcoming(
  input: FleetMigrationInput,
  fleet: LiveFleet,
  lanes: FleetLanes,
): readonly (number | null)[] {
  const times = [sweepDueMs(input, fleet), openingsDueMs(fleet), othersDueMs(input, fleet)];
  const claims = fleet.claims.map(({ dueMs }) => dueMs);
  const unreached = fleet.unreached.map(({ untilMs }) => untilMs);
  return [...times, lanes.retryAtMs(), ...claims, ...unreached].filter(
    (atMs) => atMs !== null && atMs > Date.now(),
  );
}

/** Every decision is made here, in the order in which its mail arrived. */
function receive(input: FleetMigrationInput, fleet: LiveFleet, mail: FleetMail): void {
  const tell = (event: UntimedEvent): void =>
    applyEvent(fleet, input, { ...event, atMs: Date.now() });
  switch (mail.kind) {
    case 'event':
      tell(mail.event);
      return;
    case 'unreadable':
      fleet.state = refuseUnreadable(fleet.state, mail);
      return;
    case 'revision':
      revise(fleet, mail);
      return;
    case 'started':
      for (const answer of mail.answers) tell({ kind: 'startAnswered', ...answer });
      hearEarlyReports(fleet, tell);
      return;
    case 'reported':
      hearReport(fleet, mail.report, tell);
      return;
    case 'delivered':
      noteDeliveries(fleet, mail);
      return;
    case 'swept':
      takeSweep(fleet, mail, tell);
      return;
    case 'openings':
      fleet.openUntilMs = mail.untilMs;
      for (const opening of mail.openings) tell({ kind: 'opening', ...opening });
      return;
    case 'others':
      tell({ kind: 'otherRuns', ...mail.asked, ...mail.report });
      return;
  }
}

const TELL_AGAIN_AFTER_MS = 10_000;

/** What did not arrive is sent again; a run that was over is described, in case its last report was lost. */
function noteDeliveries(
  fleet: LiveFleet,
  { messages, deliveries }: Extract<FleetMail, { kind: 'delivered' }>,
): void {
  const nowMs = Date.now();
  const rowsThat = (was: Delivery['outcome']): readonly number[] =>
    deliveries.flatMap(({ row, outcome }) => (outcome === was ? [row] : []));
  const away = rowsThat('unreachable');
  const told = deliveries.map(({ row }) => row);
  fleet.over = [...fleet.over, ...rowsThat('over')];
  fleet.unreached = [
    ...fleet.unreached.filter(({ row }) => !told.includes(row)),
    ...away.map((row) => ({ row, untilMs: nowMs + TELL_AGAIN_AFTER_MS })),
  ];
  const again = messages.filter(({ row }) => away.includes(row));
  fleet.outbox = { ...fleet.outbox, messages: [...again, ...fleet.outbox.messages] };
}

function outcomeOf({ state }: LiveFleet): FleetOutcome {
  return { kind: state.stopped ? 'stopped' : 'done', counts: countPhases(state) };
}
