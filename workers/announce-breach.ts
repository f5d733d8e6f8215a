import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ActivityDependencies } from '../activities/dependencies.js';
import { MESSAGES } from '../config/names.js';

/**
 * Signals what a guard found to the execution that has the guard done. The run is named by the first of its executions, which is
 * closed once it has continued as another.
 */
export function breachAnnouncer(
  client: Pick<Client, 'workflow'>,
): NonNullable<ActivityDependencies['announceBreach']> {
  return async (breaches) => {
    const { workflowExecution } = Context.current().info;
    if (workflowExecution === undefined) return;
    const { workflowId, runId } = workflowExecution;
    const handle = client.workflow.getHandle(workflowId, runId);
    for (const breach of breaches) await handle.signal(MESSAGES.breach, breach);
  };
}
