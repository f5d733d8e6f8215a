import { type ActivityOptions, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type {
  FleetActivities,
  FleetRef,
  StartClustersInput,
  SweepInput,
} from '../../activities/fleet-contract.js';
import type { FleetMigrationInput } from '../../activities/fleet-input.js';
import { FLEET_TASK_QUEUE } from '../../config/names.js';
import { dueClaims } from '../../domain/fleet/claimed-ends.js';
import { isUnproven } from '../../domain/fleet/fleet-rows.js';
import { type StartOrder, takeMessages, takeStarts } from '../../domain/fleet/fleet-outbox.js';
import type { FleetLanes } from './fleet-lanes.js';
import type { FleetMail, FleetMailbox } from './fleet-mailbox.js';
import {
  OPENINGS_AHEAD_MS,
  openingsDueMs,
  othersDueMs,
  silentRows,
  sweepDueMs,
} from './fleet-times.js';
import { unstartedRows } from './hear-reports.js';
import type { LiveFleet } from './live-fleet.js';

interface Calling {
  readonly input: FleetMigrationInput;
  readonly fleet: LiveFleet;
  readonly lanes: FleetLanes;
  readonly mailbox: FleetMailbox;
}

/** Begins the calls that are due and whose lane is free. */
export function launchDue(calling: Calling): void {
  const { lanes } = calling;
  if (lanes.isFree('messages')) tellRuns(calling);
  if (lanes.isFree('starts')) startRuns(calling);
  if (lanes.isFree('sweep')) sweep(calling);
  if (lanes.isFree('openings')) askOpenings(calling);
  if (lanes.isFree('others')) countOthers(calling);
}

const STARTS_AT_ONCE = 32;
/** One call of this many signals takes about two seconds. */
const MESSAGES_AT_ONCE = 200;

function startRuns({ input, fleet, lanes, mailbox }: Calling): void {
  const { taken, left, answers } = takeStarts(fleet.outbox, fleet.state, STARTS_AT_ONCE);
  fleet.outbox = { ...fleet.outbox, starts: left };
  for (const event of answers) mailbox.put({ kind: 'event', event });
  if (taken.length === 0) return;
  fleet.starting = taken.map(({ row }) => row);
  const call = async (): Promise<FleetMail> => {
    const activities = fleetActivities(input, `start ${taken.length} clusters`);
    const approvals = approvalsFor(fleet.state, taken);
    const order = { ...fleetRef(), starts: taken, ...approvals, askedAtMs: Date.now() };
    const answered = await activities.startClusters(order);
    fleet.starting = [];
    return { kind: 'started', answers: answered };
  };
  lanes.run('starts', call, () => {
    fleet.starting = [];
    fleet.outbox = { ...fleet.outbox, starts: [...taken, ...fleet.outbox.starts] };
  });
}

/** Who approved the waves of these starts, as they signed it: the workers of the runs check it again. */
function approvalsFor(
  { rows, waves }: LiveFleet['state'],
  starts: readonly StartOrder[],
): Pick<StartClustersInput, 'approvals'> {
  const begun = new Set(starts.map(({ row }) => rows[row]?.wave));
  const approvals = waves
    .filter(({ index }) => begun.has(index))
    .map(({ index: wave, approvedBefore }) => ({
      wave,
      signed: approvedBefore.flatMap(({ signed }) => signed ?? []),
    }))
    .filter(({ signed }) => signed.length > 0);
  return approvals.length === 0 ? {} : { approvals };
}

function tellRuns({ input, fleet, lanes }: Calling): void {
  const nowMs = Date.now();
  const away = fleet.unreached.flatMap(({ row, untilMs }) => (untilMs > nowMs ? [row] : []));
  const blocked = [...fleet.starting, ...away];
  const { taken, left } = takeMessages(fleet.outbox, fleet.state, MESSAGES_AT_ONCE, blocked);
  fleet.outbox = { ...fleet.outbox, messages: left };
  if (taken.length === 0) return;
  fleet.telling = taken.map(({ row }) => row);
  const call = async (): Promise<FleetMail> => {
    const activities = fleetActivities(input, `tell ${taken.length} runs`);
    const deliveries = await activities.broadcast({ ...fleetRef(), messages: taken });
    fleet.telling = [];
    return { kind: 'delivered', messages: taken, deliveries };
  };
  lanes.run('messages', call, () => {
    fleet.telling = [];
    fleet.outbox = { ...fleet.outbox, messages: [...taken, ...fleet.outbox.messages] };
  });
}

function sweep({ input, fleet, lanes }: Calling): void {
  const nowMs = Date.now();
  const dueMs = sweepDueMs(input, fleet);
  const isDue = dueMs !== null && dueMs <= nowMs;
  const claimed = dueClaims(fleet.state, fleet.claims, nowMs);
  const meant = [...fleet.over, ...claimed, ...(isDue ? silentRows(input, fleet, nowMs) : [])];
  if (meant.length === 0) return;
  // A start that waits for its turn, or for the end of a pause, has no run that could be missed.
  const unstarted = unstartedRows(fleet);
  const rows = fleet.state.rows
    .filter(({ index }) => meant.includes(index) && !unstarted.includes(index))
    .map(({ index, grant }) => ({ row: index, grant }));
  if (rows.length === 0) return;
  if (isDue) fleet.sweptAtMs = nowMs;
  fleet.over = [];
  lanes.run('sweep', () => describeRuns(input, rows), goesOnLater);
}

/** What only reads takes nothing that would have to be given back. */
function goesOnLater(): void {
  return undefined;
}

async function describeRuns(
  input: FleetMigrationInput,
  rows: SweepInput['rows'],
): Promise<FleetMail> {
  const activities = fleetActivities(input, `describe ${rows.length} runs`);
  return { kind: 'swept', rows, report: await activities.sweep({ ...fleetRef(), rows }) };
}

function askOpenings({ input, fleet, lanes }: Calling): void {
  const dueMs = openingsDueMs(fleet);
  const fromMs = Date.now();
  if (dueMs === null || dueMs > fromMs) return;
  const untilMs = fromMs + OPENINGS_AHEAD_MS;
  const call = async (): Promise<FleetMail> => {
    const activities = fleetActivities(input, 'when waves are open');
    const openings = await activities.windowOpenings({ ...fleetRef(), fromMs, untilMs });
    return { kind: 'openings', untilMs, openings };
  };
  lanes.run('openings', call, goesOnLater);
}

function countOthers({ input, fleet, lanes }: Calling): void {
  const { state } = fleet;
  const dueMs = othersDueMs(input, fleet);
  const askedAtMs = Date.now();
  if (dueMs === null || dueMs > askedAtMs) return;
  const labels = Object.keys(state.policy.caps);
  const open = state.rows.filter(isUnproven).map(({ index }) => index);
  const call = async (): Promise<FleetMail> => {
    const activities = fleetActivities(input, 'what others change', OTHERS_WITHIN);
    return {
      kind: 'others',
      asked: { askedAtMs, revision: state.revision },
      report: await activities.countOthers({ ...fleetRef(), labels, open }),
    };
  };
  lanes.run('others', call, goesOnLater);
}

/** A fleet that has nothing else to do must not wait for it to end. */
const OTHERS_WITHIN = { scheduleToCloseTimeout: 60_000 };

/** The fleet, as its activities name it. */
export function fleetRef(): FleetRef {
  const { workflowId, firstExecutionRunId, runId } = workflowInfo();
  return { fleetWorkflowId: workflowId, fleetRun: firstExecutionRunId, execution: runId };
}

/** All of them may be repeated: starts by their grant, orders because members refuse what they have had, the rest reads. */
export function fleetActivities(
  input: FleetMigrationInput,
  summary: string,
  within: Pick<ActivityOptions, 'scheduleToCloseTimeout'> = {},
): FleetActivities {
  return proxyActivities<FleetActivities>({
    taskQueue: input.taskQueue ?? FLEET_TASK_QUEUE,
    summary,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    startToCloseTimeout: 300_000,
    heartbeatTimeout: 15_000,
    ...within,
    allowEagerDispatch: false,
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 30_000 },
  });
}
