import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tellWork } from '../../cli/fleets/tell-work.js';
import { modelCluster } from './support/model-cluster.js';
import { openLab, say, tell, until, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

describe('pause in every step', () => {
  it('a pause in any step is reached at the safe point, changes nothing until resume, and keeps the direction, forward and back', async () => {
    const cluster = modelCluster('c-pause');
    await lab.withWorker(async () => {
      for (const [target, owner] of [
        ['ccm', 'done'],
        ['kcm', 'rolledBack'],
      ] as const) {
        cluster.attempts = 0;
        let inStep: (nth: number) => void = () => undefined;
        let steps = 0;
        const stepReached = (): Promise<number> => new Promise((resolve) => (inStep = resolve));
        let release: () => void = () => undefined;
        cluster.before = (_step, nth) => {
          steps = nth;
          inStep(nth);
          return new Promise((resolve) => (release = resolve));
        };
        let next = stepReached();
        const handle = await lab.start(cluster, { target });
        const result = handle.result();
        const ended = result.then(() => null);
        for (;;) {
          const nth = await Promise.race([next, ended]);
          if (nth === null) break;
          await tell(handle, 'pause');
          const pausing = await until(handle, ({ pause }) => pause === 'pausing');
          expect(pausing.step).not.toBeNull();
          release();
          const paused = await until(handle, ({ pause }) => pause === 'paused');
          expect(paused).toMatchObject({
            target,
            inFlight: 'held',
            pausedBy: { actor: 'ben@corp' },
            nextCommand: 'ccm-migrate resume c-pause',
          });
          expect(paused.phase).not.toBe('starting');
          expect(paused.sinceMs).toBeGreaterThanOrEqual(pausing.sinceMs ?? Infinity);
          expect(cluster.attempts).toBe(nth);
          next = stepReached();
          expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
        }
        expect(await result).toMatchObject({ kind: owner, target, epoch: cluster.fence.epoch });
        expect(steps).toBe(cluster.attempts);
      }
      // One forward run, one rollback: no pause re-acquired the fence.
      expect(cluster.fence.epoch).toBe(2);
    });
  }, 120_000);
});

describe('a freeze of everything', () => {
  it('a run on its own pauses by it, its end resumes that pause, and leaves one that a person asked for', async () => {
    const cluster = modelCluster('c-frozen');
    await lab.withWorker(async () => {
      let inStep: () => void = () => undefined;
      let release: () => void = () => undefined;
      const stepReached = (): Promise<void> => new Promise((resolve) => (inStep = resolve));
      cluster.before = () => {
        inStep();
        return new Promise((resolve) => (release = resolve));
      };
      let next = stepReached();
      const handle = await lab.start(cluster);
      const { workflowId } = handle;
      const { runId } = await handle.describe();
      const work = { kind: 'cluster', workflowId, runId, name: 'c-frozen' } as const;
      const tellAll = async (verb: 'freeze' | 'unfreeze') =>
        tellWork(lab.environment.client, work, {
          ...{ verb, who: { actor: 'bo', reason: 'fire', ticket: '' } },
          patience: { deadlineMs: Date.now() + 60_000, signal: new AbortController().signal },
          signer: null,
        });
      await next;
      const frozen = tellAll('freeze');
      await until(handle, ({ pause }) => pause === 'pausing');
      release();
      expect(await frozen).toMatchObject({ state: 'done' });
      const paused = await until(handle, ({ pause }) => pause === 'paused');
      expect(paused.pausedBy).toMatchObject({ actor: 'bo', reason: 'freeze of everything: fire' });
      next = stepReached();
      expect(await tellAll('unfreeze')).toMatchObject({ state: 'done' });
      await next;
      await tell(handle, 'pause');
      await until(handle, ({ pause }) => pause === 'pausing');
      release();
      await until(handle, ({ pause }) => pause === 'paused');
      expect(await tellAll('unfreeze')).toMatchObject({
        ...{ state: 'left', detail: expect.stringContaining('paused by ben@corp') },
      });
      cluster.before = async () => undefined;
      expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
      await handle.result();
      expect(await tellAll('freeze')).toMatchObject({ state: 'ended' });
    });
  }, 120_000);
});
