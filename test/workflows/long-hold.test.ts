import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { modelCluster, type ModelCluster } from './support/model-cluster.js';
import {
  chainOf,
  openLab,
  say,
  tell,
  until,
  type MigrationHandle,
  type MigrationLab,
} from './support/migration-run.js';
import type { RunTimings } from '../../domain/policy.js';

/**
 * `npm run test:long-hold`: a month of holding, a thousand times faster, on a cluster whose hold reason changes every five minutes. Takes
 * three quarters of an hour; `npm test` has shorter stories of the same (continued.test.ts).
 */
const describeLong = process.env['CCM_TEST_LONG_HOLD'] === '1' ? describe : describe.skip;

const FASTER = 1000;
const MINUTE_MS = 60_000 / FASTER;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS = Number(process.env['CCM_TEST_LONG_HOLD_DAYS'] ?? '30');

/** The defaults of a policy, faster; waits for processes of this test are unchanged. */
const TIMINGS: RunTimings = {
  requestMs: 1000,
  effectMs: 2000,
  electionMs: 2000,
  pollMs: 100,
  fenceRenewMs: 100,
  fenceRenewIdleMs: 100,
  guardMs: 100,
  awaitChangeMs: 5 * MINUTE_MS,
  stepTimeoutMs: 20_000,
  heartbeatMs: 5000,
  guardIdleMs: 100,
  guardWaitMs: 2000,
  settleMs: 100,
};

let lab: MigrationLab;
beforeAll(async () => {
  if (process.env['CCM_TEST_LONG_HOLD'] === '1') lab = await openLab();
}, 60_000);
afterAll(() => (process.env['CCM_TEST_LONG_HOLD'] === '1' ? lab.close() : undefined));

/** Two hold reasons in turn: volumes that block the step, and a CCM workload of another owner. */
function flip(cluster: ModelCluster, nth: number): void {
  const { observation } = cluster;
  const { inventory, ccmWorkload } = observation;
  cluster.observation = {
    ...observation,
    inventory: { ...inventory, persistentVolumes: { inTree: 3 } },
    ccmWorkload:
      nth % 2 === 0
        ? { ...ccmWorkload, source: 'deployment', owner: 'foreign', name: 'other/ccm' }
        : { ...ccmWorkload, source: 'none', owner: 'none', name: '' },
  };
}

async function hold(cluster: ModelCluster, handle: MigrationHandle): Promise<void> {
  const flips = Math.round((DAYS * DAY_MS) / (5 * MINUTE_MS));
  const commandsEvery = Math.max(1, Math.round(flips / 30));
  for (let nth = 0; nth < flips; nth += 1) {
    flip(cluster, nth);
    if (nth % commandsEvery === 0) {
      expect(await say(handle, 'pause')).toMatchObject({ state: 'applied' });
      expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
    }
    await setTimeout(5 * MINUTE_MS);
  }
}

describeLong(`a hold of ${String(DAYS)} days`, () => {
  it(
    'a month of holding stays short in the server, continues as new, and loses nothing',
    async () => {
      const cluster = modelCluster('c-long-hold');
      flip(cluster, 0);
      await lab.withWorker(async () => {
        const handle = await lab.start(cluster, { timings: TIMINGS });
        await until(handle, ({ holdReason }) => holdReason === 'blocked');
        const first = await tell(handle, 'pause', { commandId: 'the first' });
        await say(handle, 'resume');
        await hold(cluster, handle);
        // What was answered a month ago is not applied again.
        await tell(handle, 'pause', { commandId: first });
        expect((await until(handle, ({ holdReason }) => holdReason === 'blocked')).pause).toBe(
          'none',
        );

        const chain = await chainOf(lab, handle);
        const events = chain.reduce((sum, execution) => sum + execution.events, 0);
        const bytes = chain.reduce((sum, execution) => sum + execution.bytes, 0);
        console.log(
          `${String(DAYS)} days: ${String(chain.length)} executions, ${String(events)} events, ${String(bytes)} bytes`,
        );
        expect(chain.length).toBeGreaterThanOrEqual(DAYS < 30 ? 1 : 3);
        expect(events).toBeLessThanOrEqual(10_000);
        expect(bytes).toBeLessThanOrEqual(10 * 1024 * 1024);
        expect(cluster.grants).toHaveLength(1);
        await say(handle, 'stop');
        expect(await handle.result()).toMatchObject({ kind: 'stopped', epoch: 1 });
        expect(new Set(cluster.journal).size).toBe(cluster.journal.length);
      });
    },
    DAYS * DAY_MS * 2 + 120_000,
  );
});
