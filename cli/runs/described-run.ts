import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';

/** What the server says of the latest run with this workflow id; null where it knows none. */
export async function describedRun(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/**
 * What an execution was started or continued with, from its first event alone; null where the history no longer has it. The
 * caller says of which type the workflow's input is.
 */
export async function firstInput<Input>(
  client: Client,
  { workflowId, runId }: Pick<WorkflowExecutionDescription, 'workflowId' | 'runId'>,
): Promise<Input | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    ...{ namespace: client.options.namespace, execution: { workflowId, runId } },
    maximumPageSize: 1,
  });
  const [first] = history?.events ?? [];
  const payloads = first?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  if (payloads.length === 0) return null;
  return decodeFromPayloadsAtIndex<Input>(client.options.loadedDataConverter, 0, payloads);
}
