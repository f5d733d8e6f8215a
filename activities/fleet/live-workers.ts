import { type Client, isGrpcServiceError } from '@temporalio/client';

/** Three heartbeats. */
const SILENT_AFTER_MS = 180_000;

/** gRPC: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED. Such a server tells us of no heartbeats. */
const UNTOLD = [3, 7, 12];

/**
 * Whether a worker of this queue lives. One without a slot asks the server for nothing, so that after some minutes it looks as if it
 * were gone. Its heartbeats tell, which the SDK sends each minute.
 */
export async function hasLiveWorker(
  client: Pick<Client, 'workflowService' | 'options'>,
  queue: string,
): Promise<boolean> {
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
