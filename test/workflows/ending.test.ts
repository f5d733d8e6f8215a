import { UNPLANNED } from '../../domain/run/unplanned.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendCommand } from '../../cli/runs/send-command.js';
import { outcomeOfFailure, statusQuery } from '../../workflows/messages.js';
import { modelCluster } from './support/model-cluster.js';
import {
  answerTo,
  openLab,
  QUICK,
  tell,
  until,
  type MigrationLab,
} from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

const BACKWARD = /restoreKcm|stopCcm|removeCcmAccess|parkKcm|protectCcm|revokeLeaseAccess/;

describe('the end of a run', () => {
  it('cancellation in any step ends the run at its safe point, never rolls back, and says what to type', async () => {
    await lab.withWorker(async () => {
      const stories = Array.from({ length: 12 }, async (_, index) => {
        const cluster = modelCluster(`c-cancel-${String(index + 1)}`);
        const started = lab.start(cluster);
        cluster.before = async (_step, nth) => {
          if (nth === index + 1) await (await started).cancel();
        };
        const outcome = await (await started).result();
        expect(outcome).toMatchObject({ kind: 'stopped', target: 'ccm', stepsDone: index + 1 });
        expect(outcome.nextCommand).toContain('ccm-migrate apply');
        expect(outcome.clusterState).toContain('cp-1: KCM');
        expect(cluster.journal.filter((words) => BACKWARD.test(words))).toEqual([]);
        expect(cluster).toMatchObject({ guards: 0, fence: { runId: '' } });
      });
      await Promise.all(stories);
    });
  }, 120_000);

  it('termination in any step undoes nothing of it', async () => {
    await lab.withWorker(async () => {
      const stories = Array.from({ length: 12 }, async (_, index) => {
        const cluster = modelCluster(`c-kill-${String(index + 1)}`);
        const started = lab.start(cluster);
        cluster.before = async (_step, nth) => {
          if (nth === index + 1) await (await started).terminate('operator');
        };
        await expect((await started).result()).rejects.toThrow();
        expect(cluster.attempts).toBe(index + 1);
        expect(cluster.journal.filter((words) => BACKWARD.test(words))).toEqual([]);
      });
      await Promise.all(stories);
    });
  }, 120_000);

  it('after termination nothing more happens, and only a take-over may continue', async () => {
    const cluster = modelCluster('c-terminate');
    await lab.withWorker(async () => {
      const first = await lab.start(cluster);
      cluster.before = async (_step, nth) => {
        if (nth === 4) await first.terminate('operator');
      };
      await expect(first.result()).rejects.toThrow();
      await until(first, ({ stepsDone }) => stepsDone.length === 3);
      expect(cluster.journal.filter((words) => BACKWARD.test(words))).toEqual([]);
      cluster.before = () => undefined;

      const second = await lab.start(cluster);
      const refusal = await second.result().catch((error: unknown) => outcomeOfFailure(error));
      expect(refusal).toMatchObject({
        kind: 'refused',
        failureType: 'AlreadyRunning',
        nextCommand: expect.stringContaining('explain CCM4003'),
      });
      expect(cluster.fence.runId).toBe(first.firstExecutionRunId);

      const third = await lab.start(cluster, { takeOver: { reason: 'first was terminated' } });
      expect(await third.result()).toMatchObject({ kind: 'done' });
      expect(new Set(cluster.journal).size).toBe(cluster.journal.length);
    });
  }, 60_000);

  it('after stop later commands are refused, and no answer is lost', async () => {
    const cluster = modelCluster('c-stop');
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster);
      const commandIds: string[] = [];
      cluster.before = async (_step, nth) => {
        if (nth !== 2) return;
        for (const verb of ['stop', 'rollBack'] as const) {
          commandIds.push(await tell(handle, verb));
        }
      };
      const outcome = await handle.result();
      expect(outcome).toMatchObject({ kind: 'stopped', stepsDone: 2 });
      const answers = commandIds.map((commandId) => answerTo(handle, commandId));
      // An export has no queries: what became of commands is in the history, too.
      expect(commandIds.map((id) => outcome.answers?.[id])).toEqual(await Promise.all(answers));
      expect(await Promise.all(answers)).toEqual([
        { state: 'applied', detail: 'stopped at a safe point' },
        { state: 'refused', detail: 'CCM4005: the run is stopping' },
      ]);
      expect((await handle.query(statusQuery)).otherCommands).toContain(
        'ccm-migrate rollback c-stop',
      );
      const who = { actor: 'bo@corp', reason: 'late', ticket: '' };
      const late = { verb: 'pause' as const, arguments: {}, ...who };
      const patience = { deadlineMs: 0, signal: new AbortController().signal };
      const { client } = lab.environment;
      expect(await sendCommand(client, handle.workflowId, late, patience)).toBe('ended');
    });
  }, 60_000);

  it('a run that was started with invalid input ends with what is wrong', async () => {
    const cluster = modelCluster('c-nonsense');
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { region: '', timings: { ...QUICK, pollMs: 0 } });
      await expect(handle.result()).rejects.toMatchObject({
        cause: {
          type: 'InvalidInput',
          message:
            'the migration was not started: region is empty; timing pollMs must be a positive number of milliseconds',
        },
      });
    });
  }, 60_000);

  it('a run without a plan that no fleet started is refused', async () => {
    await lab.withWorker(async () => {
      const handle = await lab.start(modelCluster('c-unplanned'), { planDigest: UNPLANNED });
      await expect(handle.result()).rejects.toMatchObject({
        cause: { type: 'InvalidInput', message: expect.stringContaining('names no plan') },
      });
    });
  }, 60_000);
});
