import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstRunsOf } from '../../workers/first-runs.js';
import { policyOf } from '../support/cluster-builder.js';
import { modelCluster, type ModelCluster } from './support/model-cluster.js';
import {
  chainOf,
  openLab,
  QUICK,
  say,
  tell,
  until,
  type MigrationLab,
} from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

/** Blocked by volumes until they are removed. */
function blockedCluster(name: string): ModelCluster {
  const cluster = modelCluster(name);
  setVolumes(cluster, 3);
  return cluster;
}

function setVolumes(cluster: ModelCluster, inTree: number): void {
  const { inventory } = cluster.observation;
  cluster.observation = {
    ...cluster.observation,
    inventory: { ...inventory, persistentVolumes: { inTree } },
  };
}

describe('a run that continues as new', () => {
  it('a run that continues as new stays the same run: fence, epoch, commands before and after, one guard at a time', async () => {
    const cluster = blockedCluster('c-continued');
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { continueAfterEvents: 60 });
      await until(handle, ({ holdReason }) => holdReason === 'blocked');
      const first = await tell(handle, 'pause', { commandId: 'first' });
      for (let count = 0; count < 12; count += 1) {
        await until(handle, ({ pause }) => pause === 'paused');
        await say(handle, 'resume');
        await until(
          handle,
          ({ holdReason, pause }) => holdReason === 'blocked' && pause === 'none',
        );
        await tell(handle, 'pause');
      }
      await until(handle, ({ pause }) => pause === 'paused');
      // The same command again, executions later: it was answered before.
      await tell(handle, 'pause', { commandId: first });
      expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
      setVolumes(cluster, 0);
      const outcome = await handle.result();
      expect(outcome).toMatchObject({
        kind: 'done',
        epoch: 1,
        runId: handle.firstExecutionRunId,
      });
      const chain = await chainOf(lab, handle);
      expect(chain.length).toBeGreaterThanOrEqual(3);
      expect(outcome.lastExecution).toBe(chain.at(-1)?.runId);
      const firstRun = firstRunsOf(lab.environment.client);
      const firsts = chain.map(({ runId }) => firstRun({ workflowId: handle.workflowId, runId }));
      expect(new Set(await Promise.all(firsts))).toEqual(new Set([handle.firstExecutionRunId]));
      expect(cluster.grants).toHaveLength(1);
      expect(cluster).toMatchObject({ guards: 0, fence: { runId: '' } });
    });
  }, 120_000);

  it('a run that continues as new keeps its pause, its approvals and the progress of its soak', async () => {
    const cluster = modelCluster('c-continued-soak');
    const policy = policyOf({ soakSeconds: 4, handoverApproval: 'required' });
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { policy });
      await until(handle, ({ holdReason }) => holdReason === 'approval');
      await say(handle, 'approve');
      await until(handle, ({ inFlight }) => inFlight === 'soaking');
      const done = cluster.attempts;
      // Enough commands to make the history long, in the middle of the soak.
      await handle.signal('command', { commandId: 'x', verb: 'resume', actor: 'ana', reason: '' });
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      expect(cluster.attempts).toBe(done + 1);
    });
  }, 60_000);

  it('a decision that alternates for long fills no history, and each execution continues as new', async () => {
    const cluster = blockedCluster('c-flips');
    const timings = { ...QUICK, awaitChangeMs: 100 };
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { timings, continueAfterEvents: 40 });
      await until(handle, ({ holdReason }) => holdReason === 'blocked');
      for (let count = 0; count < 20; count += 1) {
        setVolumes(cluster, 3 + (count % 2));
        await until(handle, ({ holdReason }) => holdReason === 'blocked');
        await say(handle, 'retry');
      }
      setVolumes(cluster, 0);
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      const chain = await chainOf(lab, handle);
      expect(chain.length).toBeGreaterThanOrEqual(3);
      expect(Math.max(...chain.map(({ events }) => events))).toBeLessThan(150);
    });
  }, 120_000);
});
