import { expect, it } from '@jest/globals';
import { API_FAULTS, RUNS, strikeRun, type ApiFault } from './matrix.js';
import { strikeAll } from './strike-all.js';

/** `npm run test:faults`: every request on three nodes. */
const ALL = process.env['CCM_TEST_FAULTS'] === 'all';
/** Which part of all, for several processes side by side: `1/2`. */
const [PART, PARTS] = (process.env['CCM_TEST_FAULTS_PART'] ?? '1/1').split('/').map(Number);
const HOURS = 4 * 3600 * 1000;

/** The run of all that `npm test` takes. */
const SAMPLE = 7;

const MINE = API_FAULTS.filter((_, nth) => nth % (PARTS ?? 1) === (PART ?? 1) - 1);

(ALL ? it : it.skip).each(MINE)(
  '%s at any request: ends right or waits with a reason, and no promise is broken',
  async (fault: ApiFault) => {
    const seen = await strikeAll({ fault, runs: RUNS, nodes: 3 });
    expect(seen.complaints).toEqual([]);
    expect(seen.struck).toBeGreaterThan(RUNS);
    expect(seen.missed).toEqual([]);
  },
  HOURS,
);

it.each(API_FAULTS)('%s now and then on one node ends right', async (fault) => {
  const seen = await strikeRun({ fault, nodes: 1, run: SAMPLE, runs: RUNS });
  expect(seen.complaints).toEqual([]);
  expect(seen.indexes.length).toBeGreaterThan(5);
});

it('without faults nothing is held and nothing is wrong', async () => {
  const golden = await strikeRun(null);
  expect(golden).toMatchObject({ indexes: [], holds: 0, complaints: [] });
});
