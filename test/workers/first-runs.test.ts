import { describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { activityDependencies, type WorkerContext } from '../../workers/activity-dependencies.js';
import { firstRunsOf } from '../../workers/first-runs.js';

type Reading = Parameters<typeof firstRunsOf>[0];

/** A server that says of each execution that it is of the run `first`. */
function serverOf(first: string | null) {
  const asked: unknown[] = [];
  const started = { workflowExecutionStartedEventAttributes: { firstExecutionRunId: first } };
  const client = {
    options: { namespace: 'ns' },
    withDeadline: (_: number, ask: () => Promise<unknown>) => ask(),
    workflowService: {
      getWorkflowExecutionHistory: (request: unknown) => {
        asked.push(request);
        if (first === null) return Promise.reject(new Error('14 UNAVAILABLE'));
        return Promise.resolve({ history: { events: [started] } });
      },
    },
  };
  return { asked, firstRun: firstRunsOf(client as unknown as Reading) };
}

describe('the first run of an execution', () => {
  const execution = { workflowId: 'w', runId: 'r2' };

  it('is what its first event says, and asked once', async () => {
    const { firstRun, asked } = serverOf('r1');
    expect([await firstRun(execution), await firstRun(execution)]).toEqual(['r1', 'r1']);
    expect(asked).toEqual([{ namespace: 'ns', execution, maximumPageSize: 1 }]);
    await firstRun({ ...execution, runId: 'r3' });
    expect(asked).toHaveLength(2);
  });

  it('is asked again for an execution of long ago, so that nothing grows', async () => {
    const { firstRun, asked } = serverOf('r1');
    for (let at = 0; at <= 2000; at += 1) {
      await firstRun({ ...execution, runId: String(at) });
    }
    await firstRun({ ...execution, runId: '0' });
    expect(asked).toHaveLength(2002);
  });

  it('of a server that does not answer is asked again by a later attempt', async () => {
    const { firstRun, asked } = serverOf(null);
    for (const _ of [1, 2]) {
      await expect(firstRun(execution)).rejects.toMatchObject({
        ...{ type: 'Unavailable', nonRetryable: false },
      });
    }
    expect(asked).toHaveLength(2);
  });
});

describe('an activity in a worker', () => {
  const { scope } = activityDependencies(
    {
      ...{ namespace: 'ns', authority: null, log: { child: () => ({}) } },
      connection: { withAbortSignal: () => undefined },
      ...{ metrics: {}, dataConverter: {} },
    } as unknown as WorkerContext,
    'test',
  );

  it('knows the execution that has it done', async () => {
    const workflowExecution = { workflowId: 'w', runId: 'r' };
    const found = await new MockActivityEnvironment({ workflowExecution }).run(() =>
      Promise.resolve(scope().askedBy),
    );
    expect(found).toEqual({ ...workflowExecution, firstRun: expect.any(Function) });
  });

  it('knows that no workflow has it done', async () => {
    const alone = { inWorkflow: false, workflowExecution: undefined } as object;
    const found = await new MockActivityEnvironment(alone).run(() =>
      Promise.resolve(scope().askedBy),
    );
    expect(found).toBeNull();
  });
});
