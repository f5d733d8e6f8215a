import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { FleetMigrationInput } from '../../../activities/fleet-input.js';
import { FLEET_MIGRATION, fleetWorkflowId, FLEET_TASK_QUEUE } from '../../../config/names.js';
import { decodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';
import { fleetStateQuery } from '../../../workflows/messages/fleet-messages.js';
import type { Engine } from './engine.js';
import { openDrills, type DrillRecord, type Drills } from './engine-drills.js';
import { BENCH_FLEET } from './bench-input.js';
import { openUsage, type ProcessUsage } from './process-usage.js';

/** What was measured while the fleet moved. */
export interface FollowedBench extends DrillRecord {
  readonly startedMs: number;
  readonly endedMs: number;
  /** How the server says that the last execution of the fleet ended. */
  readonly status: string;
  /** The state that the fleet ended in; null when it could not be read. */
  readonly state: FleetState | null;
  /** How long each reading of the fleet's state took. */
  readonly readMs: readonly number[];
  readonly worker: ProcessUsage;
  readonly server: ProcessUsage;
}

export interface Following {
  readonly drills: Drills;
  readonly withinMs: number;
  readonly report: (line: string) => void;
}

const SAMPLE_EVERY_MS = 1_000;
const SAMPLES_PER_READ = 5;

/** Starts the fleet and follows it to its end. Rejects when it has not ended in time. */
export async function followBench(
  engine: Engine,
  input: FleetMigrationInput,
  { drills, withinMs, report }: Following,
): Promise<FollowedBench> {
  const startedMs = Date.now();
  const fleet = await start(engine, input);
  const drilled = openDrills(engine, fleet, drills, report);
  const [worker, server] = [openUsage(), openUsage()];
  const readMs: number[] = [];
  const tell = changes(report);
  for (let sample = 1; Date.now() - startedMs < withinMs; sample += 1) {
    await sleep(SAMPLE_EVERY_MS);
    worker.sample(engine.pids().worker);
    server.sample(engine.pids().server);
    const end = await endOf(fleet);
    if (end !== null) {
      const state = (await readFleet(fleet))?.state ?? null;
      return { ...drilled.record(), ...end, startedMs, state, readMs, worker, server };
    }
    const read = sample % SAMPLES_PER_READ === 0 ? await readFleet(fleet) : null;
    if (read === null) continue;
    readMs.push(read.tookMs);
    tell(phasesText(read.state));
    await drilled.act(read.state);
  }
  throw new Error(`the fleet has not ended after ${Math.round(withinMs / 60_000)} minutes`);
}

/** The handle names no execution, because the fleet continues as new. */
async function start({ client }: Engine, input: FleetMigrationInput): Promise<WorkflowHandle> {
  const workflowId = fleetWorkflowId(BENCH_FLEET);
  const taskQueue = FLEET_TASK_QUEUE;
  await client.workflow.start(FLEET_MIGRATION, { workflowId, taskQueue, args: [input] });
  return client.workflow.getHandle(workflowId);
}

/** Null while server or worker do not answer. */
async function readFleet(
  fleet: WorkflowHandle,
): Promise<{ readonly state: FleetState; readonly tookMs: number } | null> {
  const beganMs = Date.now();
  const state = await fleet.query(fleetStateQuery).then(decodeFleet, () => null);
  return state === null ? null : { state, tookMs: Date.now() - beganMs };
}

/** Null while it runs, and while the server does not answer. */
async function endOf(
  fleet: WorkflowHandle,
): Promise<Pick<FollowedBench, 'status' | 'endedMs'> | null> {
  const described = await fleet.describe().catch(() => null);
  const closeTime = described?.closeTime;
  if (described === null || closeTime === undefined) return null;
  return { status: described.status.name, endedMs: closeTime.getTime() };
}

function phasesText({ rows }: FleetState): string {
  const counts = new Map<string, number>();
  for (const { phase } of rows) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  return [...counts].map(([phase, count]) => `${count} ${phase}`).join(', ');
}

/** Reports a text only when it is another one than the last. */
function changes(report: (line: string) => void): (text: string) => void {
  let last = '';
  return (text) => {
    if (text !== last) report(text);
    last = text;
  };
}
