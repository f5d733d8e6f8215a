import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { FleetActivities, FleetRef } from '../../activities/fleet-contract.js';
import type { FleetMigrationInput } from '../../activities/fleet-input.js';
import { FLEET_TASK_QUEUE } from '../../config/names.js';
import { type StartOrder, takeMessages, takeStarts } from '../../domain/fleet/fleet-outbox.js';
import type { MemberMessage } from '../../domain/run/membership.js';
import { runFailure } from '../run-failure.js';
import type { FleetMail, FleetMailbox } from './fleet-mailbox.js';
import { OPENINGS_AHEAD_MS, openingsDueMs, silentRows, sweepDueMs } from './fleet-times.js';
import type { LiveFleet } from './live-fleet.js';

/** The activities of a fleet. Of each kind one is in flight; meanwhile what comes next collects, so that one call takes it. */
export interface FleetLanes {
  /** Begins what is due and whose lane is free. */
  readonly launch: (fleet: LiveFleet) => void;
  readonly isIdle: () => boolean;
  /** When a lane that failed is tried again; null when none failed. */
  readonly retryAtMs: () => number | null;
  /** Why lanes failed, for people. */
  readonly problems: () => readonly string[];
}

const LANES = ['starts', 'messages', 'sweep', 'openings'] as const;
type LaneName = (typeof LANES)[number];

interface Lane {
  busy: boolean;
  /** After a failure that no retry cured. */
  notBeforeMs: number;
  problem: string;
}

const STARTS_AT_ONCE = 32;
/** One call of this many signals takes about two seconds. */
const MESSAGES_AT_ONCE = 200;
const AGAIN_AFTER_MS = 30_000;

export function openLanes(input: FleetMigrationInput, mailbox: FleetMailbox): FleetLanes {
  const lanes: Record<LaneName, Lane> = {
    starts: freeLane(),
    messages: freeLane(),
    sweep: freeLane(),
    openings: freeLane(),
  };
  const starting = new Set<number>();

  /** `giveBack` undoes what was taken, when the call failed. */
  const run = (name: LaneName, call: () => Promise<FleetMail>, giveBack: () => void): void => {
    const lane = lanes[name];
    lane.busy = true;
    const done = (mail: FleetMail): void => {
      lane.busy = false;
      lane.problem = '';
      mailbox.put(mail);
    };
    call().then(done, (error: unknown) => {
      lane.busy = false;
      giveBack();
      const failure = runFailure(error);
      if (failure === null) {
        mailbox.fail(error);
        return;
      }
      lane.problem = `${name}: ${failure.message}`;
      lane.notBeforeMs = Date.now() + AGAIN_AFTER_MS;
      mailbox.put({ kind: 'event', event: { kind: 'tick' } });
    });
  };
  const isFree = (name: LaneName): boolean =>
    !lanes[name].busy && lanes[name].notBeforeMs <= Date.now();

  const start = (fleet: LiveFleet): void => {
    const { taken, left, answers } = takeStarts(fleet.outbox, fleet.state, STARTS_AT_ONCE);
    fleet.outbox = { ...fleet.outbox, starts: left };
    for (const event of answers) mailbox.put({ kind: 'event', event });
    if (taken.length === 0) return;
    for (const { row } of taken) starting.add(row);
    const settle = (): void => {
      for (const { row } of taken) starting.delete(row);
    };
    const call = async (): Promise<FleetMail> => {
      const answered = await startClusters(input, taken);
      settle();
      return { kind: 'started', starts: taken, answers: answered };
    };
    run('starts', call, () => {
      settle();
      fleet.outbox = { ...fleet.outbox, starts: [...taken, ...fleet.outbox.starts] };
    });
  };

  const send = (fleet: LiveFleet): void => {
    const nowMs = Date.now();
    const away = [...fleet.unreached].filter(([, untilMs]) => untilMs > nowMs).map(([row]) => row);
    const blocked = new Set([...starting, ...away]);
    const found = takeMessages(fleet.outbox, fleet.state, blocked);
    const taken = found.taken.slice(0, MESSAGES_AT_ONCE);
    const rest = new Set([...found.taken.slice(MESSAGES_AT_ONCE), ...found.left]);
    // In their order: the rest of what may be sent was decided before some of what may not.
    const left = fleet.outbox.messages.filter((message) => rest.has(message));
    fleet.outbox = { ...fleet.outbox, messages: left };
    if (taken.length === 0) return;
    run(
      'messages',
      () => broadcast(input, taken),
      () => {
        fleet.outbox = { ...fleet.outbox, messages: [...taken, ...fleet.outbox.messages] };
      },
    );
  };

  const sweep = (fleet: LiveFleet): void => {
    const nowMs = Date.now();
    const dueMs = sweepDueMs(input, fleet);
    const isDue = dueMs !== null && dueMs <= nowMs;
    const silent = isDue ? silentRows(input, fleet, nowMs) : [];
    const meant = new Set([...silent, ...fleet.over]);
    const rows = fleet.state.rows
      .filter(({ index }) => meant.has(index) && !starting.has(index))
      .map(({ index, grant }) => ({ row: index, grant }));
    if (rows.length === 0) return;
    if (isDue) fleet.sweptAtMs = nowMs;
    fleet.over.clear();
    run(
      'sweep',
      () => sweepRows(input, rows),
      () => undefined,
    );
  };

  const openings = (fleet: LiveFleet): void => {
    const dueMs = openingsDueMs(fleet);
    if (dueMs === null || dueMs > Date.now()) return;
    run(
      'openings',
      () => windowOpenings(input, Date.now()),
      () => undefined,
    );
  };

  return {
    launch: (fleet) => {
      if (isFree('messages')) send(fleet);
      if (isFree('starts')) start(fleet);
      if (isFree('sweep')) sweep(fleet);
      if (isFree('openings')) openings(fleet);
    },
    isIdle: () => LANES.every((name) => !lanes[name].busy),
    retryAtMs: () => {
      const times = LANES.map((name) => lanes[name].notBeforeMs).filter((at) => at > Date.now());
      return times.length === 0 ? null : Math.min(...times);
    },
    problems: () => LANES.map((name) => lanes[name].problem).filter((problem) => problem !== ''),
  };
}

function freeLane(): Lane {
  return { busy: false, notBeforeMs: 0, problem: '' };
}

async function startClusters(
  input: FleetMigrationInput,
  starts: readonly StartOrder[],
): ReturnType<FleetActivities['startClusters']> {
  const activities = fleetActivities(input, `start ${starts.length} clusters`);
  return activities.startClusters({ ...fleetRef(), starts, askedAtMs: Date.now() });
}

async function broadcast(
  input: FleetMigrationInput,
  messages: readonly MemberMessage[],
): Promise<FleetMail> {
  const activities = fleetActivities(input, `tell ${messages.length} runs`);
  const deliveries = await activities.broadcast({ ...fleetRef(), messages });
  return { kind: 'delivered', messages, deliveries };
}

async function sweepRows(
  input: FleetMigrationInput,
  rows: readonly { readonly row: number; readonly grant: number }[],
): Promise<FleetMail> {
  const activities = fleetActivities(input, `describe ${rows.length} silent runs`);
  return { kind: 'swept', report: await activities.sweep({ ...fleetRef(), rows }) };
}

async function windowOpenings(input: FleetMigrationInput, fromMs: number): Promise<FleetMail> {
  const untilMs = fromMs + OPENINGS_AHEAD_MS;
  const activities = fleetActivities(input, 'when waves are open');
  const openings = await activities.windowOpenings({ ...fleetRef(), fromMs, untilMs });
  return { kind: 'openings', untilMs, openings };
}

function fleetRef(): FleetRef {
  const { workflowId, firstExecutionRunId, runId } = workflowInfo();
  return { fleetWorkflowId: workflowId, fleetRun: firstExecutionRunId, execution: runId };
}

/** All of them may be repeated: starts by their grant, orders because members refuse what they have had, the rest reads. */
function fleetActivities(input: FleetMigrationInput, summary: string): FleetActivities {
  return proxyActivities<FleetActivities>({
    taskQueue: input.taskQueue ?? FLEET_TASK_QUEUE,
    summary,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    startToCloseTimeout: 300_000,
    heartbeatTimeout: 15_000,
    allowEagerDispatch: false,
    retry: { initialInterval: 500, backoffCoefficient: 2, maximumInterval: 30_000 },
  });
}
