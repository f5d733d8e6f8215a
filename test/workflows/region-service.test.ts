import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { guardTaskQueue, stepTaskQueue } from '../../config/names.js';
import { regionService } from '../../workers/region-service.js';
import { eventually, openLab, type MigrationLab } from './support/migration-run.js';
import { modelCluster } from './support/model-cluster.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

function serve(taskQueue: string, story: () => Promise<void>): Promise<void> {
  const connection = lab.environment.nativeConnection;
  const opened = Worker.create({
    connection,
    taskQueue,
    activities: { nothing: async () => undefined },
  });
  return opened.then((worker) => worker.runUntil(story));
}

describe('a region', () => {
  it('is served once all of its queues are polled, and full while a guard waits in spite of that', async () => {
    const { client } = lab.environment;
    const region = randomUUID();
    const service = () => regionService(client, lab.queue, region);
    const cluster = modelCluster('c-waits');
    await lab.withWorker(async () => {
      expect(await service()).toBe('unserved');
      await serve(stepTaskQueue(region), async () => {
        await serve(guardTaskQueue(region), async () => {
          await eventually(service, (each) => each === 'served');
        });
        // Its worker is gone, and the server still knows that it was there.
        expect(await service()).toBe('served');
        const changes = { region, guardTaskQueue: guardTaskQueue(region) };
        const handle = await lab.start(cluster, changes);
        await eventually(service, (each) => each === 'full');
        await handle.terminate();
      });
    }, ['workflows', 'steps', 'waits']);
  }, 60_000);
});

interface Told {
  readonly polled: readonly string[];
  /** An error is what the server answers. */
  readonly alive: number | Error;
}

/** A server that has not seen a poll for guards for some minutes. */
function serverThat({ polled, alive }: Told): Client {
  const asked: string[] = [];
  const workflowService = {
    describeTaskQueue: ({ taskQueue }: { readonly taskQueue: { readonly name: string } }) =>
      Promise.resolve({ pollers: polled.includes(taskQueue.name) ? [{}] : [], stats: null }),
    listWorkers: ({ query }: { readonly query: string }) => {
      asked.push(query);
      return alive instanceof Error
        ? Promise.reject(alive)
        : Promise.resolve({ workers: Array.from({ length: alive }, () => ({})) });
    },
  };
  return { options: { namespace: 'default' }, workflowService } as unknown as Client;
}

const grpcError = (code: number): Error =>
  Object.assign(new Error('refused'), { code, details: '', metadata: {} });

describe('a region whose guard queue no worker polls', () => {
  const others = ['runs', stepTaskQueue('eu')];
  const service = (told: Partial<Told>) =>
    regionService(serverThat({ polled: others, alive: 0, ...told }), 'runs', 'eu');

  it.each([
    ['is full where one is alive', { alive: 1 }, 'full'],
    ['is not served where none is alive', { alive: 0 }, 'unserved'],
    ['is not served where nothing else of it is', { alive: 1, polled: ['runs'] }, 'unserved'],
    ['is not served where the server tells of no workers', { alive: grpcError(12) }, 'unserved'],
    ['is not served where it may not be asked', { alive: grpcError(7) }, 'unserved'],
  ])('%s', async (_, told, expected) => {
    expect(await service(told)).toBe(expected);
  });

  it('is not known while the server does not answer', async () => {
    await expect(service({ alive: grpcError(14) })).rejects.toThrow('refused');
  });
});
