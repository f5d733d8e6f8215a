import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { clusterOf, policyOf } from '../support/cluster-builder.js';
import { modelCluster, type ModelCluster } from './support/model-cluster.js';
import { openLab, QUICK, tell, until, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

const COUNT = 300;

/** One node just before its handover: one step is left. */
function almostThere(name: string): ModelCluster {
  const cluster = modelCluster(name, 1);
  cluster.observation = clusterOf(
    {
      nodes: [{ kcm: 'inTreeLm', ccm: 'on' }],
      kcmLeader: 0,
      ccmLeader: 0,
      migration: { manager: 'kcm', node: 0 },
      granted: true,
    },
    { cluster: cluster.observation.cluster },
  );
  return cluster;
}

describe('many clusters in flight', () => {
  it(`${String(COUNT)} guards on one worker leave room for every step`, async () => {
    const clusters = Array.from({ length: COUNT }, (_, index) =>
      almostThere(`c-many-${String(index)}`),
    );
    const policy = policyOf({ handoverApproval: 'required' });
    const timings = { ...QUICK, guardMs: 5000, heartbeatMs: 30_000 };
    await lab.withWorker(async () => {
      const handles = await Promise.all(
        clusters.map((cluster) => lab.start(cluster, { policy, timings })),
      );
      while (clusters.some(({ guards }) => guards !== 1)) await setTimeout(100);
      // A guard may run before its run has observed anything, and a command that comes too early is refused.
      for (const handle of handles)
        await until(handle, ({ holdReason }) => holdReason === 'approval');
      // Every run is in flight with its guard at the same moment; now each gets its step.
      await Promise.all(handles.map((handle) => tell(handle, 'approve')));
      const outcomes = await Promise.all(handles.map((handle) => handle.result()));
      expect(outcomes.filter(({ kind }) => kind === 'done')).toHaveLength(COUNT);
      expect(clusters.filter(({ guards }) => guards > 0)).toEqual([]);
    });
  }, 480_000);
});
