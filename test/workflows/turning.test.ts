import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { modelCluster, type ModelCluster, ownerIn } from './support/model-cluster.js';
import { openLab, tell, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

/** How many steps a whole direction takes, according to the model. */
async function stepsOf(cluster: ModelCluster, target: 'ccm' | 'kcm'): Promise<number> {
  cluster.attempts = 0;
  await (await lab.start(cluster, { target })).result();
  return cluster.attempts;
}

describe('turning around in every step', () => {
  it('a run rolls back from every forward step', async () => {
    await lab.withWorker(async () => {
      const count = await stepsOf(modelCluster('c-turn-count'), 'ccm');
      expect(count).toBeGreaterThan(8);
      const stories = Array.from({ length: count }, async (_, index) => {
        const cluster = modelCluster(`c-turn-${String(index + 1)}`);
        const started = lab.start(cluster);
        cluster.before = async (_step, nth) => {
          if (nth === index + 1) await tell(await started, 'rollBack');
        };
        const outcome = await (await started).result();
        expect(outcome).toMatchObject({ kind: 'rolledBack', target: 'kcm', epoch: 2 });
        expect(outcome.summary).toContain('rolled back by ben@corp: test story');
        expect(ownerIn(cluster)).toBe('kcm');
      });
      await Promise.all(stories);
    });
  }, 120_000);

  it('a run rolls forward again from every step of the rollback', async () => {
    await lab.withWorker(async () => {
      const model = modelCluster('c-again-count');
      await stepsOf(model, 'ccm');
      const count = await stepsOf(model, 'kcm');
      const stories = Array.from({ length: count }, async (_, index) => {
        const cluster = modelCluster(`c-again-${String(index + 1)}`);
        await stepsOf(cluster, 'ccm');
        cluster.attempts = 0;
        const started = lab.start(cluster, { target: 'kcm' });
        cluster.before = async (_step, nth) => {
          if (nth === index + 1) await tell(await started, 'rollForward');
        };
        expect(await (await started).result()).toMatchObject({ kind: 'done', target: 'ccm' });
        expect(ownerIn(cluster)).toBe('ccm');
      });
      await Promise.all(stories);
    });
  }, 120_000);
});
