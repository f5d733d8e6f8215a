import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { ServiceError } from '@temporalio/client';
import { askRun } from '../../../cli/runs/ask-run.js';
import { statusQuery } from '../../../workflows/messages.js';

/** A client whose query fails with this gRPC code, for a run without any workflow task. */
function clientThatFails(code: number): Client {
  const cause = Object.assign(new Error('over'), { code });
  return {
    options: { namespace: 'default' },
    connection: { withDeadline: (_at: number, ask: () => Promise<unknown>) => ask() },
    workflow: {
      getHandle: () => ({
        query: () => Promise.reject(new ServiceError('Failed to query Workflow', { cause })),
        describe: () => Promise.resolve({ taskQueue: 'q', raw: {} }),
      }),
    },
    workflowService: {
      getWorkflowExecutionHistoryReverse: () => Promise.resolve({}),
      describeTaskQueue: () => Promise.resolve({ pollers: [] }),
    },
  } as unknown as Client;
}

const QUESTION = { workflowId: 'w', query: statusQuery, args: [] as [], withinMs: 10 };

describe('a query to a run', () => {
  it.each([
    [1, 'CANCELLED by a server that saw the deadline first'],
    [4, 'DEADLINE_EXCEEDED'],
    [9, 'FAILED_PRECONDITION after failed workflow tasks'],
  ])('gRPC code %i means that the run did not answer: %s', async (code) => {
    expect(await askRun(clientThatFails(code), QUESTION)).toEqual({
      kind: 'unanswered',
      silence: { code: 'CCM4018', detail: '' },
    });
  });

  it.each([
    [14, 'UNAVAILABLE: the server cannot be reached'],
    [7, 'PERMISSION_DENIED'],
  ])('gRPC code %i means that the server failed: %s', async (code) => {
    await expect(askRun(clientThatFails(code), QUESTION)).rejects.toThrow(/Failed to query/);
  });
});
