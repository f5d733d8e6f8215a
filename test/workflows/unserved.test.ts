import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { modelCluster } from './support/model-cluster.js';
import { openLab, say, tell, until, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

describe('without a guard worker', () => {
  it('without a guard worker nothing is changed, the run reports why, and continues by itself when one is there', async () => {
    const cluster = modelCluster('c-unguarded');
    const handle = await lab.withWorker(async () => {
      const started = await lab.start(cluster);
      const held = await until(started, ({ holdReason }) => holdReason === 'unserved');
      expect(held).toMatchObject({ whoActs: 'environment', findings: [{ code: 'CCM4028' }] });
      expect(cluster.journal).toEqual([]);
      return started;
    }, ['workflows', 'steps', 'waits']);
    await lab.withWorker(async () => {
      const outcome = await handle.result();
      expect(outcome).toMatchObject({ kind: 'done', epoch: 1 });
      expect(outcome.guard).not.toBeNull();
    });
  }, 60_000);

  it('a guard that goes in the middle stops the writes, not the run', async () => {
    const cluster = modelCluster('c-guard-goes');
    const handle = await lab.withWorker(() => lab.start(cluster), ['workflows']);
    await lab.withWorker(async () => {
      await lab.withWorker(async () => {
        await until(handle, ({ stepsDone }) => stepsDone.length >= 3);
      }, ['guards']);
      const held = await until(handle, ({ holdReason }) => holdReason === 'unserved');
      expect(held.stepsDone.length).toBe(cluster.journal.length);
      await lab.withWorker(async () => {
        expect(await handle.result()).toMatchObject({ kind: 'done' });
        expect(new Set(cluster.journal).size).toBe(cluster.journal.length);
      }, ['guards']);
    }, ['workflows', 'steps', 'waits']);
  }, 60_000);
});

describe('without a worker for the steps', () => {
  it.each([
    ['stop', 'stopped'],
    ['cancel', 'stopped'],
  ] as const)(
    'without a worker for the steps, %s ends the run',
    async (word, kind) => {
      const cluster = modelCluster(`c-unserved-${word}`);
      await lab.withWorker(async () => {
        const handle = await lab.start(cluster);
        await until(handle, ({ inFlight }) => inFlight === 'checking');
        if (word === 'stop') await tell(handle, 'stop');
        else await handle.cancel();
        expect(await handle.result()).toMatchObject({ kind, stepsDone: 0 });
        expect(cluster.fence.epoch).toBe(0);
      }, ['workflows']);
    },
    60_000,
  );

  it('without a worker for the steps, pause and rollback apply, and the run continues when a worker is there', async () => {
    const cluster = modelCluster('c-unserved-turns');
    const handle = await lab.withWorker(async () => {
      const started = await lab.start(cluster);
      await until(started, ({ inFlight }) => inFlight === 'checking');
      expect(await say(started, 'pause')).toMatchObject({ state: 'applied' });
      expect(await say(started, 'rollBack')).toMatchObject({ state: 'applied' });
      expect(await say(started, 'resume')).toMatchObject({ state: 'applied' });
      return started;
    }, ['workflows']);
    await lab.withWorker(async () => {
      expect(await handle.result()).toMatchObject({ kind: 'rolledBack' });
    });
  }, 60_000);

  it('a step that no worker takes never ran: commands apply, the epoch stays, the run continues', async () => {
    const cluster = modelCluster('c-step-waits');
    await lab.withWorker(async () => {
      const handle = await lab.withWorker(async () => {
        const started = await lab.start(cluster);
        await until(started, ({ stepsDone }) => stepsDone.length >= 2);
        await tell(started, 'pause');
        await until(started, ({ pause }) => pause === 'paused');
        return started;
      }, ['steps']);
      const done = cluster.attempts;
      await say(handle, 'resume');
      // Its observation waits for a worker: stop, pause and rollback apply at once.
      await until(handle, ({ inFlight }) => inFlight === 'observing');
      expect(await say(handle, 'pause')).toMatchObject({ state: 'applied' });
      await say(handle, 'resume');
      expect(cluster.attempts).toBe(done);
      await lab.withWorker(async () => {
        expect(await handle.result()).toMatchObject({ kind: 'done', epoch: 1 });
      }, ['steps']);
    }, ['workflows', 'waits', 'guards']);
  }, 120_000);
});

describe('what is checked before the first fence', () => {
  it.each(['PreflightFailed', 'StalePlan'])(
    '%s before the first fence refuses the run; nothing was touched',
    async (type) => {
      const cluster = modelCluster(`c-${type}`);
      cluster.refusal = type;
      await lab.withWorker(async () => {
        const handle = await lab.start(cluster);
        await expect(handle.result()).rejects.toMatchObject({ cause: { type } });
        expect(cluster).toMatchObject({ guards: 0, attempts: 0, fence: { epoch: 0 } });
      });
    },
    60_000,
  );
});
