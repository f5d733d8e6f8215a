import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failure, modelCluster, stepText } from './support/model-cluster.js';
import {
  messageGate,
  openLab,
  QUICK,
  say,
  until,
  type MigrationLab,
} from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

describe('an attempt with an unknown outcome', () => {
  it('when the response of any step is lost, the run re-acquires the fence, observes, and repeats no effect', async () => {
    const cluster = modelCluster('c-lost');
    await lab.withWorker(async () => {
      const lost = new Set<string>();
      cluster.after = (step) => {
        if (lost.has(stepText(step))) return;
        lost.add(stepText(step));
        throw failure('Unavailable', 'the answer was lost');
      };
      const outcome = await (await lab.start(cluster)).result();
      expect(outcome.kind).toBe('done');
      expect(new Set(cluster.journal).size).toBe(cluster.journal.length);
      expect(cluster.fence.epoch).toBe(1 + lost.size);
    });
  }, 60_000);

  it('a worker that lost its network may still run an attempt, but writes nothing any more', async () => {
    const cluster = modelCluster('c-zombie');
    const gate = messageGate();
    await lab.withWorker(async () => {
      cluster.before = (_step, nth) => {
        cluster.mute = nth === 2;
        return nth === 2 ? gate.pass() : undefined;
      };
      const handle = await lab.start(cluster, { timings: { ...QUICK, heartbeatMs: 1000 } });
      expect(await handle.result()).toMatchObject({ kind: 'done', epoch: 2 });
      const before = [...cluster.journal];
      gate.open();
      await handle.describe();
      expect(cluster.journal).toEqual(before);
      expect(new Set(before).size).toBe(before.length);
    });
  }, 60_000);

  it('when a worker is stopped in the middle of a step, the next one continues', async () => {
    const cluster = modelCluster('c-shutdown');
    const gate = messageGate();
    cluster.before = (_step, nth) => (nth === 3 ? gate.pass() : undefined);
    const handle = await lab.withWorker(async () => {
      const started = await lab.start(cluster);
      await gate.reached;
      return started;
    });
    await lab.withWorker(async () => {
      expect(await handle.result()).toMatchObject({ kind: 'done', epoch: 2 });
      expect(new Set(cluster.journal).size).toBe(cluster.journal.length);
    });
  }, 60_000);

  it('a step that fails again and again holds the run, with the finding, until retry', async () => {
    const cluster = modelCluster('c-again');
    await lab.withWorker(async () => {
      let broken = true;
      cluster.before = (_step, nth) => {
        if (broken && nth > 2) throw failure('Unreachable', 'cp-2 does not answer');
      };
      const handle = await lab.start(cluster);
      const held = await until(handle, ({ holdReason }) => holdReason === 'repeats');
      expect(held.findings[0]).toMatchObject({
        code: 'CCM4101',
        seen: '4 attempts; Unreachable: cp-2 does not answer',
      });
      expect(cluster.attempts).toBe(6);
      broken = false;
      expect(await say(handle, 'resume')).toMatchObject({ state: 'refused' });
      expect(await say(handle, 'retry')).toMatchObject({ state: 'applied' });
      expect(await handle.result()).toMatchObject({ kind: 'done' });
    });
  }, 60_000);

  it('a failure that needs the operator holds at once', async () => {
    const cluster = modelCluster('c-foreign');
    await lab.withWorker(async () => {
      cluster.before = (_step, nth) => {
        if (nth === 2) throw failure('ForeignEdit', 'someone edited cp-1');
      };
      const handle = await lab.start(cluster);
      const held = await until(
        handle,
        ({ holdReason, inFlight }) => holdReason === 'failure' && inFlight === 'held',
      );
      expect(held).toMatchObject({ findings: [{ code: 'CCM4006' }], whoActs: 'person', epoch: 2 });
      expect(held).toMatchObject({
        advice: 'cure CCM4006, then retry',
        nextCommand: 'ccm-migrate retry c-foreign',
        otherCommands: ['ccm-migrate rollback c-foreign'],
      });
      await say(handle, 'retry');
      expect(await handle.result()).toMatchObject({ kind: 'done' });
    });
  }, 60_000);

  it('a mistake of ours in a step holds the run under guard and fence', async () => {
    const cluster = modelCluster('c-bug');
    await lab.withWorker(async () => {
      cluster.before = (_step, nth) => {
        if (nth === 3) throw new TypeError('x is undefined');
      };
      const handle = await lab.start(cluster);
      const held = await until(handle, ({ holdReason }) => holdReason === 'failure');
      expect(held.findings).toMatchObject([{ code: 'CCM4013', seen: 'Bug: x is undefined' }]);
      expect(cluster).toMatchObject({ guards: 1, fence: { runId: handle.firstExecutionRunId } });
      await say(handle, 'rollBack');
      expect(await handle.result()).toMatchObject({ kind: 'rolledBack' });
    });
  }, 60_000);

  it('a hold that the environment caused ends by itself when its cause has passed', async () => {
    const cluster = modelCluster('c-heals');
    await lab.withWorker(async () => {
      cluster.before = (_step, nth) => {
        if (nth === 2) throw failure('EffectNotSeen', 'the manager is in back-off');
      };
      const handle = await lab.start(cluster);
      const held = await until(handle, ({ holdReason }) => holdReason === 'failure');
      expect(held).toMatchObject({ whoActs: 'environment' });
      cluster.healthy = true;
      expect(await handle.result()).toMatchObject({ kind: 'done', epoch: 2 });
    });
  }, 60_000);
});
