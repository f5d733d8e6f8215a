import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { modelCluster } from './support/model-cluster.js';
import { openLab, say, until, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

describe('evidence that is lost while a run is open', () => {
  it.each([
    ['', {}],
    [' that continued as another execution', { continueAfterEvents: 20 }],
  ])(
    'holds a run%s at its next write, until a person has brought it back',
    async (_, how) => {
      const cluster = modelCluster(`c-evidence-${String(Object.keys(how).length)}`);
      await lab.withWorker(async () => {
        cluster.after = (_step, nth) => {
          if (nth === 4) cluster.evidence.lost = true;
        };
        const handle = await lab.start(cluster, how);
        const held = await until(handle, ({ holdReason }) => holdReason === 'failure');
        expect(held).toMatchObject({ whoActs: 'person', findings: [{ code: 'CCM4034' }] });
        const written = [...cluster.journal];
        expect(written).toHaveLength(4);

        expect(await say(handle, 'retry')).toMatchObject({ state: 'applied' });
        const again = await until(handle, ({ holdReason }) => holdReason === 'failure');
        expect(again).toMatchObject({ findings: [{ code: 'CCM4034' }] });
        expect(cluster.journal).toEqual(written);

        cluster.evidence.lost = false;
        await say(handle, 'retry');
        expect(await handle.result()).toMatchObject({ kind: 'done' });
        expect(new Set(cluster.journal).size).toBe(cluster.journal.length);
      });
    },
    60_000,
  );
});
