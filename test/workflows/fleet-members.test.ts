import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { guardTaskQueue, stepTaskQueue, waitTaskQueue } from '../../config/names.js';
import { type FleetLab, openFleetLab, order, untilPhases } from './support/fleet-lab.js';
import { modelActivities } from './support/model-activities.js';
import { type ModelCluster, modelCluster } from './support/model-cluster.js';

let lab: FleetLab;
beforeAll(async () => {
  lab = await openFleetLab('../../../workflows/index.ts');
});
afterAll(() => lab.close());

const region = `region-${randomUUID().slice(0, 8)}`;

/** Runs of clusters as they are, on clusters in memory. */
async function withMembers<T>(clusters: readonly ModelCluster[], story: () => Promise<T>) {
  const activities = modelActivities(new Map(clusters.map((each) => [each.name, each])));
  const queues = [stepTaskQueue(region), waitTaskQueue(region), guardTaskQueue(region)];
  const workers = await Promise.all(
    queues.map((taskQueue) =>
      Worker.create({
        ...{ connection: lab.environment.nativeConnection, taskQueue, activities },
        ...{ maxHeartbeatThrottleInterval: '1s', shutdownForceTime: '2s' },
      }),
    ),
  );
  const runAll = workers.reduce<() => Promise<T>>(
    (inner, worker) => () => worker.runUntil(inner),
    story,
  );
  return lab.withWorker(runAll);
}

describe('a fleet of runs of clusters', () => {
  it('moves its clusters, and takes one back whose run has ended', async () => {
    const names = ['one', 'two', 'three'].map((name) => lab.named(name));
    const clusters = names.map((name) => modelCluster(name));
    const [, , last] = clusters;
    if (last === undefined) throw new Error('there is no cluster');
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    last.before = () => released;
    await withMembers(clusters, async () => {
      const rows = names.map((name, index) => ({ name, canary: index === 0 }));
      const handle = await lab.start({ name: 'members', rows, region });
      await untilPhases(
        handle,
        ([one, two, three]) =>
          [one, two].every((phase) => phase === 'proven') && three === 'active',
      );
      await order(handle, { verb: 'rollBack' }, { kind: 'rows', rows: [1] });
      await untilPhases(handle, ([, two]) => two === 'back');
      release();
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 2, back: 1 } });
    });
    expect(
      clusters.map(({ grants }) => new Set(grants.map((grant) => grant.split('/')[0])).size),
    ).toEqual([1, 2, 1]);
  });
});
