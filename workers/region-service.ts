import type { Client } from '@temporalio/client';
import type { RegionService } from '../activities/fleet/run-directory.js';
import { guardService } from '../activities/fleet/live-workers.js';
import { guardTaskQueue, stepTaskQueue } from '../config/names.js';

/** TaskQueueType of temporal/api/enums/v1/task_queue.proto. */
const WORKFLOWS = 1;
const ACTIVITIES = 2;

/**
 * Whether a region has workers, and room for a guard. One without a slot asks the server for nothing, so that after some minutes it looks as if it were
 * gone. Its heartbeats tell, which the SDK sends each minute.
 */
export async function regionService(
  client: Client,
  workflowQueue: string,
  region: string,
): Promise<RegionService> {
  const [workflows, steps, guards] = await Promise.all([
    describeQueue(client, workflowQueue, WORKFLOWS),
    describeQueue(client, stepTaskQueue(region), ACTIVITIES),
    guardService(client, guardTaskQueue(region)),
  ]);
  if (workflows.pollers.length === 0 || steps.pollers.length === 0) return 'unserved';
  return guards;
}

function describeQueue(client: Client, name: string, taskQueueType: number) {
  return client.workflowService.describeTaskQueue({
    ...{ namespace: client.options.namespace, taskQueue: { name } },
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum is not exported by the client
    taskQueueType,
  });
}
