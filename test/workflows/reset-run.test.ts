import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { modelCluster } from './support/model-cluster.js';
import { openLab, type MigrationHandle, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

/** Has the server begin the run again where it asked for its fence. */
async function resetToFence({ workflowId, firstExecutionRunId }: MigrationHandle): Promise<void> {
  const { client, namespace } = lab.environment;
  const run = client.workflow.getHandle(workflowId, firstExecutionRunId);
  const { events } = await run.fetchHistory();
  const asked = events
    ?.map(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled)
    .find((scheduled) => scheduled?.activityType?.name === 'takeFence');
  const at = asked?.workflowTaskCompletedEventId;
  if (at === undefined || at === null) throw new Error('the run asked for no fence');
  await client.workflowService.resetWorkflowExecution({
    ...{ namespace: namespace ?? 'default', reason: 'test', requestId: randomUUID() },
    workflowExecution: { workflowId, runId: firstExecutionRunId },
    workflowTaskFinishEventId: at,
  });
}

it('a run that the server resets gets an epoch of its own, and the attempt that it replaces writes no more', async () => {
  const cluster = modelCluster('c-reset');
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const inStep = new Promise<void>((begin) => {
    cluster.before = () => {
      cluster.before = () => undefined;
      cluster.mute = true;
      begin();
      return released;
    };
  });
  await lab.withWorker(async () => {
    const handle = await lab.start(cluster);
    await inStep;
    cluster.mute = false;
    await resetToFence(handle);
    const again = lab.environment.client.workflow.getHandle(handle.workflowId);
    expect(await again.result()).toMatchObject({ kind: 'done', epoch: 2 });
    release();
    expect(new Set(cluster.grants).size).toBe(2);
    expect(new Set(cluster.journal).size).toBe(cluster.journal.length);
  });
}, 90_000);
