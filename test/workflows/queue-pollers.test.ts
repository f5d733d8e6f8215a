import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { refuseUnserved, servedFleet, unservedQueues } from '../../cli/runs/queue-pollers.js';
import { guardTaskQueue, stepTaskQueue, WORKFLOW_TASK_QUEUE } from '../../config/names.js';
import { workerIdentity } from '../../config/worker-identity.js';
import { openLab, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

/** Serves one queue as a worker of a region does. */
function activityWorker(taskQueue: string): Promise<Worker> {
  const connection = lab.environment.nativeConnection;
  return Worker.create({ connection, taskQueue, activities: { nothing: async () => undefined } });
}

describe('a region without workers', () => {
  it('a region without workers is reported with its queues, each until a worker polls it', async () => {
    const { client } = lab.environment;
    const region = randomUUID();
    const [steps, guards] = [stepTaskQueue(region), guardTaskQueue(region)];
    const missing = async (): Promise<readonly string[]> =>
      // The queue of the workflows belongs to no region: other suites may serve it.
      (await unservedQueues(client, region)).filter((name) => name !== WORKFLOW_TASK_QUEUE);
    expect(await missing()).toEqual([steps, guards]);
    await expect(refuseUnserved(client, region, 0)).rejects.toMatchObject({
      code: 'CCM4018',
      message: expect.stringContaining(`region ${region}: no worker polls`),
      fix: expect.stringContaining(`--region ${region}`),
    });
    const worker = await activityWorker(steps);
    await worker.runUntil(async () => {
      while ((await missing()).length > 1) await sleep(50);
      expect(await missing()).toEqual([guards]);
    });
  });

  it('a region without workers gets some time: its worker may have just been started', async () => {
    const { client, nativeConnection: connection } = lab.environment;
    const region = randomUUID();
    const refused = refuseUnserved(client, region, 60_000);
    const workers = await Promise.all([
      activityWorker(stepTaskQueue(region)),
      activityWorker(guardTaskQueue(region)),
      Worker.create({
        connection,
        taskQueue: WORKFLOW_TASK_QUEUE,
        workflowBundle: { code: lab.bundle },
      }),
    ]);
    const [steps, guards, workflows] = workers;
    await steps.runUntil(() => guards.runUntil(() => workflows.runUntil(refused)));
  });

  it('the guard slots of a region are those that its workers say, and not known where one does not', async () => {
    const { client, nativeConnection: connection } = lab.environment;
    const region = randomUUID();
    const polling = async (count: number) => {
      for (;;) {
        const served = await servedFleet(client, [region]);
        const { guardSlots, slotsUnknown } = served;
        if (guardSlots.length + slotsUnknown.length >= count) return { guardSlots, slotsUnknown };
        await sleep(50);
      }
    };
    const guards = (identity: string): Promise<Worker> =>
      Worker.create({
        ...{ connection, taskQueue: guardTaskQueue(region), identity },
        activities: { nothing: async () => undefined },
      });
    expect(await servedFleet(client, [region])).toMatchObject({ guardSlots: [] });
    const one = await guards(workerIdentity({ role: 'guards', host: 'node', pid: 1, slots: 3 }));
    await one.runUntil(async () => {
      expect(await polling(1)).toEqual({ guardSlots: [{ region, slots: 3 }], slotsUnknown: [] });
    });
    // The server remembers the first one for some minutes, as a region has workers of two versions.
    const other = await guards('42@node');
    await other.runUntil(async () => {
      while ((await polling(1)).slotsUnknown.length === 0) await sleep(50);
      expect(await polling(1)).toEqual({ guardSlots: [], slotsUnknown: [region] });
    });
  });
});
