import type { Client } from '@temporalio/client';
import type { RunKey } from '../activities/evidence/evidence-store.js';
import { failure } from '../activities/failures.js';

/** Longer than the server holds a request back by itself. */
const WITHIN_MS = 10_000;
/** More than a worker has runs of at a time. */
const KEPT = 2_000;

/**
 * Reads the first run of the chain that an execution is of: a run that continues as another, or is reset, keeps its first event's
 * word for it. Asked once for each execution.
 */
export function firstRunsOf(
  client: Pick<Client, 'workflowService' | 'options' | 'withDeadline'>,
): (execution: RunKey) => Promise<string> {
  const kept = new Map<string, string>();
  return async ({ workflowId, runId }) => {
    const known = kept.get(runId);
    if (known !== undefined) return known;
    const { namespace } = client.options;
    const asked = { namespace, execution: { workflowId, runId }, maximumPageSize: 1 };
    const { history } = await client
      .withDeadline(Date.now() + WITHIN_MS, () =>
        client.workflowService.getWorkflowExecutionHistory(asked),
      )
      .catch((error: unknown) => {
        throw failure('Unavailable', `the server does not say which run ${runId} is of`, {
          cause: error,
        });
      });
    const begun = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
    const first = begun?.firstExecutionRunId ?? '';
    if (kept.size >= KEPT) kept.clear();
    kept.set(runId, first);
    return first;
  };
}
