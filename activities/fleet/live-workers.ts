import { type Client, isGrpcServiceError } from '@temporalio/client';

/** Three heartbeats. */
const SILENT_AFTER_MS = 180_000;

/** gRPC: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED. Such a server tells us of no heartbeats. */
const UNTOLD = [3, 7, 12];

/**
 * Whether a worker of this queue lives. One without a slot asks the server for nothing, so that after some minutes it looks as if it
 * were gone. Its heartbeats tell, which the SDK sends each minute.
 */
export async function hasLiveWorker(client: QueueClient, queue: string): Promise<boolean> {
  const since = new Date(Date.now() - SILENT_AFTER_MS).toISOString();
  try {
    const { workers } = await client.workflowService.listWorkers({
      namespace: client.options.namespace,
      query: `TaskQueue = '${queue}' AND HeartbeatTime > '${since}'`,
      pageSize: 1,
    });
    return workers.length > 0;
  } catch (error) {
    if (isGrpcServiceError(error) && UNTOLD.includes(error.code)) return false;
    throw error;
  }
}

/** A worker that has a slot takes a guard within milliseconds. */
const WAITS_FROM_SECONDS = 5;

type QueueClient = Pick<Client, 'workflowService' | 'options'>;

/** TaskQueueType of temporal/api/enums/v1/task_queue.proto. */
const QUEUE_TYPES = { workflows: 1, activities: 2 } as const;
export type QueueType = keyof typeof QUEUE_TYPES;

/** What the server says of a queue; `stats` on request, because it counts for them. */
export function describedQueue(
  { workflowService, options: { namespace } }: QueueClient,
  { name, type }: { readonly name: string; readonly type: QueueType },
  { reportStats = false } = {},
) {
  return workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name }, ...(reportStats ? { reportStats } : {}) },
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum is not exported by the client
    taskQueueType: QUEUE_TYPES[type],
  });
}

/** Whether workers of this queue of guards live, and have room for another guard: `full` where all are full or busy. */
export async function guardService(
  client: QueueClient,
  queue: string,
): Promise<'served' | 'full' | 'unserved'> {
  const asked = { name: queue, type: 'activities' } as const;
  const described = await describedQueue(client, asked, { reportStats: true });
  if (described.pollers.length === 0)
    return (await hasLiveWorker(client, queue)) ? 'full' : 'unserved';
  return oldestWaits(described) < WAITS_FROM_SECONDS ? 'served' : 'full';
}

export type Described = Awaited<ReturnType<typeof describedQueue>>;

/** Since when the oldest task of a queue waits, in seconds; 0 where none does, or where the server does not say. */
function oldestWaits({ stats }: Described): number {
  const waits = Number(stats?.approximateBacklogCount ?? 0) > 0;
  return waits ? Number(stats?.approximateBacklogAge?.seconds ?? 0) : 0;
}
