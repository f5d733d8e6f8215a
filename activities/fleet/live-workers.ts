import { type Client, isGrpcServiceError } from '@temporalio/client';

/** Three heartbeats. */
const SILENT_AFTER_MS = 180_000;

/** gRPC: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED. Such a server tells us of no heartbeats. */
const UNTOLD = [3, 7, 12];

/**
 * Whether a worker of this queue lives. One without a slot asks the server for nothing, so that after some minutes it looks as if it
 * were gone. Its heartbeats tell, which the SDK sends each minute.
 */
async function hasLiveWorker(client: QueueClient, queue: string): Promise<boolean> {
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

export interface AskedQueue {
  readonly name: string;
  readonly type: QueueType;
}

/** What the server says of a queue; `stats` on request, because it counts for them. */
export function describedQueue(
  { workflowService, options: { namespace } }: QueueClient,
  { name, type }: AskedQueue,
  { reportStats = false } = {},
) {
  return workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name }, ...(reportStats ? { reportStats } : {}) },
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum is not exported by the client
    taskQueueType: QUEUE_TYPES[type],
  });
}

/** Whether workers of this queue of guards live, and have room for another guard: `full` where all are full or busy. */
export async function guardService(client: QueueClient, queue: string): Promise<GuardService> {
  return guardServiceIn(
    queueReads(client, (name) => name === queue),
    queue,
  );
}

type GuardService = 'served' | 'full' | 'unserved';

/** The same in one observation, which must count for this queue. */
export async function guardServiceIn(reads: QueueReads, queue: string): Promise<GuardService> {
  const described = await reads.described({ name: queue, type: 'activities' });
  if (described.pollers.length === 0) return (await reads.isAlive(queue)) ? 'full' : 'unserved';
  return oldestWaits(described) < WAITS_FROM_SECONDS ? 'served' : 'full';
}

/** One observation of queues: whatever is asked of it, the server is asked about each queue once, so that all answers are of one moment. */
export interface QueueReads {
  readonly described: (queue: AskedQueue) => Promise<Described>;
  /** Of a queue that no worker polls: whether one lives. */
  readonly isAlive: (queue: string) => Promise<boolean>;
}

/** `isCounted` says for which queues the server has to count what waits. */
export function queueReads(
  client: QueueClient,
  isCounted: (queue: string) => boolean = () => false,
): QueueReads {
  return {
    described: onceEach(
      ({ name, type }) => `${type} ${name}`,
      (queue) => describedQueue(client, queue, { reportStats: isCounted(queue.name) }),
    ),
    isAlive: onceEach(
      (queue) => queue,
      (queue) => hasLiveWorker(client, queue),
    ),
  };
}

function onceEach<Of, Answer>(
  keyOf: (asked: Of) => string,
  ask: (asked: Of) => Promise<Answer>,
): (asked: Of) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>();
  return (asked) => {
    const key = keyOf(asked);
    const answer = answers.get(key) ?? ask(asked);
    answers.set(key, answer);
    return answer;
  };
}

export type Described = Awaited<ReturnType<typeof describedQueue>>;

/** Since when the oldest task of a queue waits, in seconds; 0 where none does, or where the server does not say. */
function oldestWaits({ stats }: Described): number {
  const waits = Number(stats?.approximateBacklogCount ?? 0) > 0;
  return waits ? Number(stats?.approximateBacklogAge?.seconds ?? 0) : 0;
}
