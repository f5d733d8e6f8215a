import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { guardTaskQueue, stepTaskQueue, WORKFLOW_TASK_QUEUE } from '../../config/names.js';
import { CliError } from '../cli-error.js';

/** TaskQueueType of temporal/api/enums/v1/task_queue.proto. */
const WORKFLOWS = 1;
const ACTIVITIES = 2;

/** A newly started worker has polled each of its queues after this time. */
const PATIENCE_MS = 5_000;
const POLL_EVERY_MS = 500;

/** Queues of a run in `region` that no worker polled within the server's memory of a few minutes. */
export async function unservedQueues(client: Client, region: string): Promise<readonly string[]> {
  const queues = [
    { name: WORKFLOW_TASK_QUEUE, taskQueueType: WORKFLOWS },
    { name: stepTaskQueue(region), taskQueueType: ACTIVITIES },
    { name: guardTaskQueue(region), taskQueueType: ACTIVITIES },
  ];
  const served = await Promise.all(
    queues.map(async ({ name, taskQueueType }) => {
      const { pollers } = await client.workflowService.describeTaskQueue({
        ...{ namespace: client.options.namespace, taskQueue: { name } },
        // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum is not exported by the client
        taskQueueType,
      });
      return pollers.length > 0;
    }),
  );
  return queues.filter((_, index) => served[index] !== true).map(({ name }) => name);
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
  const deadlineMs = Date.now() + patienceMs;
  for (;;) {
    const unserved = await unservedQueues(client, region);
    if (unserved.length === 0) return;
    if (Date.now() >= deadlineMs) throw noWorker(region, unserved);
    await sleep(POLL_EVERY_MS);
  }
}

function noWorker(region: string, queues: readonly string[]): CliError {
  return new CliError('CCM4018', `region ${region}: no worker polls ${queues.join(', ')}`, {
    why: 'A run without workers makes no progress and processes no command until they start.',
    fix: `Start \`ccm-migrate worker -f INVENTORY --region ${region}\` near the clusters, then try again; --without-workers starts the run anyway.`,
    state: 'nothing was changed',
  });
}
