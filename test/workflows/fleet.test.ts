import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { fleetAnswerQuery, fleetCommandSignal } from '../../workflows/messages/fleet-messages.js';
import { brakesQuery, goOnSignal } from './support/fleet-member.js';
import {
  type FleetHandle,
  type FleetLab,
  memberId,
  openFleetLab,
  order,
  stateOf,
  untilOpen,
  untilPhases,
} from './support/fleet-lab.js';
import { chainOf, eventually } from './support/migration-run.js';

let lab: FleetLab;
beforeAll(async () => {
  lab = await openFleetLab();
});
afterAll(() => lab.close());

const member = (name: string): WorkflowHandle =>
  lab.environment.client.workflow.getHandle(memberId(lab, name));

const rowOf = (index: number) => ({ kind: 'rows', rows: [index] }) as const;

const areAll =
  (...wanted: readonly string[]) =>
  (phases: readonly string[]): boolean =>
    phases.join() === wanted.join();

describe('a fleet over a real server', () => {
  it('a fleet of two waves with a canary ends with every cluster proven', async () => {
    await lab.withWorker(async () => {
      const handle = await lab.start({
        name: 'two-waves',
        waves: [{}, { scheduled: true }],
        windows: [
          {
            days: ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'],
            from: '00:00',
            to: '24:00',
            timeZone: 'UTC',
          },
        ],
        rows: [
          { name: 'a', canary: true },
          { name: 'b' },
          { name: 'c' },
          { name: 'd', wave: 1 },
          { name: 'e', wave: 1 },
          { name: 'f', wave: 1 },
        ],
      });
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 6 } });
      const { rows, waves } = await stateOf(handle);
      expect(rows[0]?.started).toBe(1);
      expect(rows.slice(1, 3).every(({ started }) => started === 2 || started === 3)).toBe(true);
      expect(waves.map(({ over }) => over)).toEqual([true, true]);
      expect(waves[1]?.openings.length).toBeGreaterThan(0);
    });
  });

  it('a paused fleet pauses its runs and starts nothing until it is resumed', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-p' }, { name: 'q' }, { name: 'r' }];
      const handle = await lab.start({ name: 'paused', rows, policy: { inFlight: 1 } });
      await untilPhases(handle, areAll('active', 'waiting', 'waiting'));
      await untilOpen(lab, 'slow-p');
      expect(await order(handle, { verb: 'pause' })).toMatchObject({
        state: 'applied',
        actor: 'bo',
      });
      await eventually(
        () => member('slow-p').query(brakesQuery),
        (brakes) => brakes === 1,
      );
      await order(handle, { verb: 'stop' }, rowOf(0));
      await untilPhases(handle, areAll('stopped', 'waiting', 'waiting'));
      await order(handle, { verb: 'resume' });
      expect(await handle.result()).toEqual({ kind: 'done', counts: { stopped: 1, proven: 2 } });
    });
  });

  it('one cluster is rolled back by the person who asked: an open run turns, one that has ended is followed by another', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-t' }, { name: 'u' }, { name: 'slow-v' }];
      const handle = await lab.start({ name: 'back', rows });
      await untilPhases(handle, areAll('active', 'proven', 'active'));
      expect(await order(handle, { verb: 'rollBack' }, rowOf(0))).toMatchObject({ applied: 1 });
      expect(await order(handle, { verb: 'rollBack' }, rowOf(1), 'cy')).toMatchObject({
        applied: 1,
      });
      await untilPhases(handle, areAll('back', 'back', 'active'));
      const { memo } = await member('u').describe();
      expect(memo).toMatchObject({ actor: 'cy', reason: 'CHG-2', target: 'kcm' });
      await member('slow-v').signal(goOnSignal);
      expect(await handle.result()).toEqual({ kind: 'done', counts: { back: 2, proven: 1 } });
    });
  });

  it('a fleet that continues as new again and again loses no start, no report and no answer', async () => {
    await lab.withWorker(async () => {
      const rows = Array.from({ length: 12 }, (_, index) => ({ name: `n${index}` }));
      const policy = { inFlight: 2, unproven: 6 };
      const changes = { continueAfterEvents: 30 };
      const handle = await lab.start({ name: 'long', rows, policy, changes });
      const frozen = await order(handle, { verb: 'set', inFlight: 1, unproven: null });
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 12 } });
      expect((await executions(handle)).length).toBeGreaterThan(3);
      const { answers, starts } = await stateOf(handle);
      const [kept, ...others] = Object.values(answers);
      expect([frozen, others]).toEqual([expect.objectContaining(kept ?? {}), []]);
      expect(starts).toBe(12);
    });
  });

  it('a fleet that continues as new while it is paused stays paused, and then goes on', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-w' }, { name: 'x' }];
      const changes = { continueAfterEvents: 30 };
      const handle = await lab.start({ name: 'held', rows, policy: { inFlight: 1 }, changes });
      await untilPhases(handle, areAll('active', 'waiting'));
      await untilOpen(lab, 'slow-w');
      await order(handle, { verb: 'pause' });
      for (let asked = 0; asked < 12; asked += 1) {
        expect(await order(handle, { verb: 'open' }, rowOf(0))).toMatchObject({ state: 'refused' });
      }
      expect((await executions(handle)).length).toBeGreaterThan(1);
      await order(handle, { verb: 'resume' });
      await eventually(
        () => member('slow-w').query(brakesQuery),
        (brakes) => brakes === 0,
      );
      await member('slow-w').signal(goOnSignal);
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 2 } });
    });
  });

  it('a run that was terminated counts as failed', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'mute-a' }, { name: 'y' }];
      const handle = await lab.start({ name: 'swept', rows, changes: { sweepAfterMs: 500 } });
      await untilPhases(handle, areAll('active', 'proven'));
      await member('mute-a').terminate();
      expect(await handle.result()).toEqual({ kind: 'done', counts: { failed: 1, proven: 1 } });
      expect((await stateOf(handle)).rows[0]).toMatchObject({ signature: 'terminated' });
    });
  });

  it('a fleet takes no report of an earlier fleet of its name for its own', async () => {
    await lab.withWorker(async () => {
      const first = await lab.start({ name: 'twice', rows: [{ name: 'slow-old' }] });
      await untilPhases(first, areAll('active'));
      await eventually(
        () =>
          member('slow-old')
            .describe()
            .then(
              () => true,
              () => false,
            ),
        Boolean,
      );
      await first.terminate();
      const second = await lab.start({ name: 'twice', rows: [{ name: 'slow-new' }] });
      await untilPhases(second, areAll('active'));
      await member('slow-old').signal(goOnSignal);
      await member('slow-old').result();
      expect((await stateOf(second)).rows[0]).toMatchObject({ phase: 'active', sequence: 0 });
      await member('slow-new').signal(goOnSignal);
      expect(await second.result()).toEqual({ kind: 'done', counts: { proven: 1 } });
    });
  });

  it('cancelling a fleet stops its runs and rolls nothing back', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-c' }, { name: 'slow-d' }, { name: 'z' }];
      const handle = await lab.start({ name: 'cancelled', rows, policy: { inFlight: 2 } });
      await untilPhases(handle, areAll('active', 'active', 'waiting'));
      await handle.cancel();
      expect(await handle.result()).toEqual({
        kind: 'stopped',
        counts: { stopped: 2, skipped: 1 },
      });
    });
  });

  it('a command that cannot be read is answered, and stops nothing', async () => {
    await lab.withWorker(async () => {
      const handle = await lab.start({ name: 'unreadable', rows: [{ name: 'slow-e' }] });
      const sent: WorkflowHandle = handle;
      await sent.signal(fleetCommandSignal.name, { commandId: 'x', order: { verb: 'dance' } });
      await sent.signal('report', { row: 'none' });
      const answer = await eventually(
        () => handle.query(fleetAnswerQuery, 'x'),
        (found) => found !== null,
      );
      expect(answer).toMatchObject({ verb: 'unreadable', state: 'refused' });
      await eventually(
        () =>
          member('slow-e')
            .signal(goOnSignal)
            .then(
              () => true,
              () => false,
            ),
        Boolean,
      );
      expect(await handle.result()).toMatchObject({ counts: { proven: 1 } });
    });
  });

  it('an input that does not fit together is refused', async () => {
    await lab.withWorker(async () => {
      const handle = await lab.start({ name: 'misfit', rows: [{ name: 'g', wave: 3 }] });
      await expect(handle.result()).rejects.toMatchObject({
        cause: { type: 'InvalidInput', message: 'the fleet was not started: g is in no wave' },
      });
    });
  });
});

async function executions(handle: FleetHandle): Promise<readonly string[]> {
  const chain = await chainOf(lab, handle);
  return chain.map(({ runId }) => runId);
}
