import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { awaitAnswer, type Answer } from '../../cli/runs/send-command.js';
import { answerQuery, commandSignal } from '../../workflows/messages.js';
import { modelCluster } from './support/model-cluster.js';
import {
  messageGate,
  eventCount,
  openLab,
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

describe('commands', () => {
  it('commands sent while no worker runs are applied when one is back, in order, each id once', async () => {
    const cluster = modelCluster('c-offline');
    const handle = await lab.start(cluster);
    const commandId = await tell(handle, 'pause');
    await tell(handle, 'rollBack', { reason: 'changed our mind' });
    await tell(handle, 'rollForward', { reason: 'and back again' });
    await lab.withWorker(async () => {
      const paused = await until(handle, ({ pause }) => pause === 'paused');
      expect(paused).toMatchObject({ target: 'ccm', stepsDone: [] });
      expect(paused.targetReason).toContain('and back again');
    });
    await tell(handle, 'resume');
    // The same command again, as from a client that got no response.
    await tell(handle, 'pause', { commandId });
    await lab.withWorker(async () => {
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      expect(cluster.attempts).toBe(13);
    });
  }, 60_000);

  it('a pause during a step is answered with the name of that step', async () => {
    const cluster = modelCluster('c-answers');
    const gate = messageGate();
    cluster.before = (_step, nth) => (nth === 3 ? gate.pass() : undefined);
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster);
      await gate.reached;
      const commandId = await tell(handle, 'pause');
      const ask = () => handle.query(answerQuery, commandId);
      expect(await ask()).toEqual({
        state: 'pending',
        detail: 'pausing: step prepareCcm is in flight',
      });
      gate.open();
      await until(handle, ({ pause }) => pause === 'paused');
      expect(await ask()).toMatchObject({ state: 'applied' });
      expect(await handle.query(answerQuery, 'never sent')).toEqual({
        state: 'pending',
        detail: 'not received yet',
      });
      await say(handle, 'stop');
      await handle.result();
    });
  }, 60_000);

  it('commands cost no history while their sender waits for the answer', async () => {
    const cluster = modelCluster('c-waits');
    const gate = messageGate();
    cluster.before = (_step, nth) => (nth === 3 ? gate.pass() : undefined);
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster);
      await gate.reached;
      const commandId = await tell(handle, 'pause');
      await handle.query(answerQuery, commandId);
      const before = await eventCount(handle);
      const { client } = lab.environment;
      const { workflowId } = handle;
      const wait = (): Promise<Answer> =>
        awaitAnswer(
          client,
          { workflowId, commandId },
          { deadlineMs: Date.now() + 3_000, signal: new AbortController().signal },
        );
      const answers = await Promise.all([wait(), wait(), wait()]);
      expect(answers.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
      expect(await eventCount(handle)).toBe(before);
      gate.open();
      await until(handle, ({ pause }) => pause === 'paused');
      await say(handle, 'stop');
      await handle.result();
      // Late: the run has ended, and still reports the result.
      expect(await wait()).toMatchObject({ state: 'applied' });
    });
  }, 60_000);

  it('invalid commands are refused and harm nothing', async () => {
    const cluster = modelCluster('c-malformed');
    const gate = messageGate();
    cluster.before = (_step, nth) => (nth === 1 ? gate.pass() : undefined);
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster);
      await gate.reached;
      await handle.signal<[unknown]>(commandSignal.name, { commandId: 'm1', verb: 'explode' });
      await handle.signal<[unknown]>(commandSignal.name, 'nonsense');
      expect(await handle.query(answerQuery, 'm1')).toMatchObject({
        state: 'refused',
        detail: expect.stringContaining('malformed: verb must be one of'),
      });
      await expect(handle.query(answerQuery, '')).rejects.toThrow();
      gate.open();
      expect(await handle.result()).toMatchObject({ kind: 'done' });
    });
  }, 60_000);
});
