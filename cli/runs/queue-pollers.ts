import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  type AskedQueue,
  type QueueReads,
  queueReads,
} from '../../activities/fleet/live-workers.js';
import {
  FLEET_TASK_QUEUE,
  guardTaskQueue,
  stepTaskQueue,
  WORKFLOW_TASK_QUEUE,
} from '../../config/names.js';
import { slotsOfIdentity } from '../../config/worker-identity.js';
import { CliError } from '../cli-error.js';
import { typedCommand } from '../typed-command.js';
import { fullRegionsIn, regionReads } from './full-regions.js';
import type { ServedFleet, UnservedFleet } from '../plan/fleet-findings.js';

/** A newly started worker has polled each of its queues after this time. */
const PATIENCE_MS = 5_000;
const POLL_EVERY_MS = 500;

interface ServedQueue extends AskedQueue {
  /** A worker of it may have no slot left for a long time. */
  readonly isForGuards?: true;
}

const WORKFLOW_QUEUE: ServedQueue = { name: WORKFLOW_TASK_QUEUE, type: 'workflows' };

/** One worker polls both; one that has no slot for its activities left still takes its workflows. */
const FLEET_QUEUES: readonly ServedQueue[] = [{ name: FLEET_TASK_QUEUE, type: 'workflows' }];

function regionQueues(region: string): readonly ServedQueue[] {
  return [
    { name: stepTaskQueue(region), type: 'activities' },
    { name: guardTaskQueue(region), type: 'activities', isForGuards: true },
  ];
}

/**
 * Queues of a run in `region` that no worker polled within the server's memory of a few minutes. A worker that has no slot for guards
 * serves them all the same: clusters wait for one, and say so.
 */
export async function unservedQueues(client: Client, region: string): Promise<readonly string[]> {
  return unservedOf(queueReads(client), [WORKFLOW_QUEUE, ...regionQueues(region)]);
}

async function unservedOf(
  reads: QueueReads,
  queues: readonly ServedQueue[],
): Promise<readonly string[]> {
  const served = await Promise.all(queues.map((queue) => isServed(reads, queue)));
  return queues.filter((_, index) => served[index] !== true).map(({ name }) => name);
}

async function isServed(reads: QueueReads, queue: ServedQueue): Promise<boolean> {
  if ((await reads.described(queue)).pollers.length > 0) return true;
  return queue.isForGuards === true && reads.isAlive(queue.name);
}

/**
 * A run without workers processes nothing, not even `stop`, so it starts only on request.
 * @throws CliError CCM4018 with the queues that no worker polls.
 */
export async function refuseUnserved(
  client: Client,
  region: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const unserved = await stillUnserved(
    client,
    [WORKFLOW_QUEUE, ...regionQueues(region)],
    patienceMs,
  );
  if (unserved.length > 0) throw noWorker([region], unserved);
}

/** The same for a fleet: one region without workers would hold its clusters up while the others move. */
export async function refuseUnservedFleet(
  client: Client,
  regions: readonly string[],
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const queues = await stillUnserved(client, fleetQueues(regions), patienceMs);
  const unserved = unservedFleet(regions, queues);
  if (unserved.queues.length === 0) return;
  throw noWorker(
    unserved.regions.map(({ region }) => region),
    unserved.queues,
  );
}

/** Queues of a fleet in these regions that no worker polls now. */
export function unservedFleetQueues(
  client: Client,
  regions: readonly string[],
): Promise<readonly string[]> {
  return unservedOf(queueReads(client), fleetQueues(regions));
}

/** Every queue that a fleet needs. */
function fleetQueues(regions: readonly string[]): readonly ServedQueue[] {
  return [WORKFLOW_QUEUE, ...FLEET_QUEUES, ...regions.flatMap(regionQueues)];
}

function unservedFleet(regions: readonly string[], queues: readonly string[]): UnservedFleet {
  const away = regions.flatMap((region) => {
    const own = regionQueues(region).map(({ name }) => name);
    const missing = queues.filter((name) => own.includes(name));
    return missing.length === 0 ? [] : [{ region, queues: missing }];
  });
  return { queues, regions: away };
}

/**
 * Asks once. A worker whose slots are all in use polls nothing, so that its slots do not count: what is found is a warning,
 * never a refusal.
 */
export async function servedFleet(
  client: Client,
  regions: readonly string[],
): Promise<ServedFleet> {
  const reads = regionReads(client, regions);
  const [queues, full, ...guards] = await Promise.all([
    unservedOf(reads, fleetQueues(regions)),
    fullRegionsIn(reads, regions),
    ...regions.map(async (region) => {
      const { pollers } = await reads.described({
        name: guardTaskQueue(region),
        type: 'activities',
      });
      return { region, slots: pollers.map(({ identity }) => slotsOfIdentity(identity ?? '')) };
    }),
  ]);
  const polled = guards.filter(({ slots }) => slots.length > 0);
  return {
    ...unservedFleet(regions, queues),
    full,
    guardSlots: polled.flatMap(({ region, slots }) => {
      const known = slots.filter((each) => each !== null);
      if (known.length < slots.length) return [];
      return [{ region, slots: known.reduce((sum, each) => sum + each, 0) }];
    }),
    slotsUnknown: polled.flatMap(({ region, slots }) => (slots.includes(null) ? [region] : [])),
  };
}

async function stillUnserved(
  client: Client,
  queues: readonly ServedQueue[],
  patienceMs: number,
): Promise<readonly string[]> {
  const deadlineMs = Date.now() + patienceMs;
  for (;;) {
    const unserved = await unservedOf(queueReads(client), queues);
    if (unserved.length === 0 || Date.now() >= deadlineMs) return unserved;
    await sleep(POLL_EVERY_MS);
  }
}

function noWorker(regions: readonly string[], queues: readonly string[]): CliError {
  const where =
    regions.length === 0
      ? ''
      : `${regions.length === 1 ? 'region' : 'regions'} ${regions.join(', ')}: `;
  const [region = 'REGION'] = regions;
  return new CliError('CCM4018', `${where}no worker polls ${queues.join(', ')}`, {
    why: 'A run without workers makes no progress and processes no command until they start.',
    fix: `Start \`${typedCommand(['worker', '-f', 'INVENTORY', '--region', region])}\` near the clusters, then try again; --without-workers starts the run anyway.`,
    state: 'nothing was changed',
  });
}
