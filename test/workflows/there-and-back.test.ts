import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { statusQuery } from '../../workflows/messages.js';
import { modelCluster, ownerIn } from './support/model-cluster.js';
import { eventCount, openLab, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

describe('forward and back', () => {
  it('a run moves three nodes to the CCM within 150 events, and back', async () => {
    const cluster = modelCluster('c-there');
    await lab.withWorker(async () => {
      const there = await lab.start(cluster);
      const done = await there.result();
      expect(done).toMatchObject({ kind: 'done', target: 'ccm', cluster: 'c-there', epoch: 1 });
      expect(done.evidence).toEqual({ records: 2, head: 'sha256:head' });
      expect(ownerIn(cluster)).toBe('ccm');
      expect(await eventCount(there)).toBeLessThanOrEqual(150);
      expect((await there.describe()).historySize).toBeLessThan(512 * 1024);
      expect((await there.query(statusQuery)).outcome?.kind).toBe('done');

      const back = await lab.start(cluster, { target: 'kcm' });
      expect(await back.result()).toMatchObject({ kind: 'rolledBack', epoch: 2 });
      expect(ownerIn(cluster)).toBe('kcm');
      expect(cluster.guards).toBe(0);
      expect(await eventCount(back)).toBeLessThanOrEqual(150);
    });
  }, 60_000);
});
