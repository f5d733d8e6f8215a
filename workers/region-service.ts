import type { Client } from '@temporalio/client';
import type { RegionService } from '../activities/fleet/run-directory.js';
import { hasLiveWorker } from '../activities/fleet/live-workers.js';
import { guardTaskQueue, stepTaskQueue } from '../config/names.js';

/** TaskQueueType of temporal/api/enums/v1/task_queue.proto. */
const WORKFLOWS = 1;
const ACTIVITIES = 2;

/** A worker that has a slot takes a guard within milliseconds. */
const WAITS_FROM_SECONDS = 5;

/**
 * Whether a region has workers, and room for a guard. One without a slot asks the server for nothing, so that after some minutes it looks as if it were
 * gone. Its heartbeats tell, which the SDK sends each minute.
 */
export async function regionService(
  client: Client,
  workflowQueue: string,
  region: string,
): Promise<RegionService> {
  const guardQueue = guardTaskQueue(region);
  const [workflows, steps, guards] = await Promise.all([
    describeQueue(client, workflowQueue, WORKFLOWS),
    describeQueue(client, stepTaskQueue(region), ACTIVITIES),
    describeQueue(client, guardQueue, ACTIVITIES),
  ]);
  if (workflows.pollers.length === 0 || steps.pollers.length === 0) return 'unserved';
  if (guards.pollers.length === 0)
    return (await hasLiveWorker(client, guardQueue)) ? 'full' : 'unserved';
  return oldestWaits(guards) < WAITS_FROM_SECONDS ? 'served' : 'full';
}

/** Since when the oldest task of a queue waits, in seconds; 0 where none does, or where the server does not say. */
function oldestWaits({ stats }: Described): number {
  const waits = Number(stats?.approximateBacklogCount ?? 0) > 0;
  return waits ? Number(stats?.approximateBacklogAge?.seconds ?? 0) : 0;
}

type Described = Awaited<ReturnType<typeof describeQueue>>;

function describeQueue(client: Client, name: string, taskQueueType: number) {
  return client.workflowService.describeTaskQueue({
    ...{ namespace: client.options.namespace, taskQueue: { name }, reportStats: true },
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum is not exported by the client
    taskQueueType,
  });
}
