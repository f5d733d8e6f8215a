import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { guardTaskQueue } from '../../config/names.js';
import { createLoopMeter } from '../../workers/loop-meter.js';
import { type WorkerParts, workerOptions } from '../../workers/worker-options.js';
import { modelActivities } from './support/model-activities.js';
import { modelCluster } from './support/model-cluster.js';
import {
  eventually,
  openLab,
  until,
  type MigrationHandle,
  type MigrationLab,
} from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

const SILENT = { info: () => undefined, warn: () => undefined } as never;

/** The guards of a region, served as a worker process does, whose loop is as busy as the test says. */
function busyRegion() {
  const region = randomUUID();
  const loop = { atMs: 0, activeMs: 0, idleMs: 0 };
  const meter = createLoopMeter({
    limits: { stopAbove: 0.8, resumeBelow: 0.6 },
    log: SILENT,
    show: () => undefined,
    read: () => ({ ...loop }),
  });
  const works = (share: number): void => {
    for (let second = 0; second < 20; second += 1) {
      loop.atMs += 1_000;
      loop.activeMs += share * 1_000;
      loop.idleMs += (1 - share) * 1_000;
      meter.measure();
    }
  };
  const serve = async <T>(clusterSlots: number, story: () => Promise<T>): Promise<T> => {
    const { nativeConnection: connection } = lab.environment;
    const parts = {
      ...{ connection, namespace: 'default', dataConverter: {}, payloadKeys: '', signsWith: null },
      ...{ bundle: { digest: '' }, build: '', versioning: 'off', shutdownGraceMs: 1_000 },
      ...{ region, clusterSlots, gate: meter, guards: modelActivities(lab.clusters) },
    };
    const worker = await Worker.create(workerOptions('guards', parts as unknown as WorkerParts));
    return worker.runUntil(story);
  };
  return { works, serve, changes: { region, guardTaskQueue: guardTaskQueue(region) } };
}

const OTHERS = ['workflows', 'steps', 'waits'] as const;

/** As the server sees the guard of a run. */
async function guardOf(handle: MigrationHandle) {
  const { raw } = await handle.describe();
  const [guard] = (raw.pendingActivities ?? []).filter(
    ({ activityType }) => activityType?.name === 'guardCluster',
  );
  return guard === undefined
    ? null
    : { begun: Boolean(guard.lastStartedTime), failed: Boolean(guard.lastFailure) };
}

const isHeld = ({ holdReason }: { readonly holdReason: string }) => holdReason === 'unserved';

describe('a worker that is too busy', () => {
  it('leaves a guard in the queue, where nothing fails, and takes it when it is no longer busy', async () => {
    const { works, serve, changes } = busyRegion();
    const cluster = modelCluster('c-busy');
    works(0.95);
    await lab.withWorker(
      () =>
        serve(5, async () => {
          const handle = await lab.start(cluster, changes);
          const held = await until(handle, isHeld);
          expect(held).toMatchObject({ whoActs: 'environment', findings: [{ code: 'CCM4028' }] });
          expect(await guardOf(handle)).toEqual({ begun: false, failed: false });
          works(0.7);
          expect(await guardOf(handle)).toEqual({ begun: false, failed: false });
          expect(cluster.journal).toEqual([]);
          works(0.1);
          expect(await handle.result()).toMatchObject({ kind: 'done', epoch: 1 });
        }),
      OTHERS,
    );
  }, 60_000);

  it('keeps the guards that it has, and gives their slots to no others', async () => {
    const { works, serve, changes } = busyRegion();
    const [first, second] = [modelCluster('c-kept'), modelCluster('c-next')];
    let release: () => void = () => undefined;
    const inStep = new Promise<void>((resolve) => {
      first.before = () => {
        first.before = () => undefined;
        resolve();
        return new Promise((over) => (release = over));
      };
    });
    await lab.withWorker(
      () =>
        serve(1, async () => {
          const kept = await lab.start(first, changes);
          await inStep;
          works(0.95);
          const next = await lab.start(second, changes);
          release();
          expect(await kept.result()).toMatchObject({ kind: 'done', epoch: 1 });
          // Its slot is free now.
          await until(next, isHeld);
          expect(await guardOf(next)).toEqual({ begun: false, failed: false });
          works(0.1);
          expect(await next.result()).toMatchObject({ kind: 'done', epoch: 1 });
        }),
      OTHERS,
    );
  }, 60_000);

  it('ends at once when it is told to, though a slot is asked for', async () => {
    const { works, serve, changes } = busyRegion();
    works(0.95);
    const cluster = modelCluster('c-leaves');
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, changes);
      await serve(5, async () => until(handle, isHeld));
      await eventually(
        () => guardOf(handle),
        (guard) => guard?.begun === false,
      );
      works(0.1);
      await serve(5, async () => {
        expect(await handle.result()).toMatchObject({ kind: 'done' });
      });
    }, OTHERS);
  }, 60_000);
});
