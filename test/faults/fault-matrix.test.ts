import { expect, it } from '@jest/globals';
import { API_FAULTS, STRIDE, strikeRun, type ApiFault } from './matrix.js';
import { strikeAll } from './strike-all.js';

/** `npm run test:faults`: every request on three nodes. */
const ALL = process.env['CCM_TEST_FAULTS'] === 'all';
/** Which part of all, for several processes side by side: `1/2`. */
const [PART, PARTS] = (process.env['CCM_TEST_FAULTS_PART'] ?? '1/1').split('/').map(Number);
const HOURS = 4 * 3600 * 1000;

const MINE = API_FAULTS.filter((_, nth) => nth % (PARTS ?? 1) === (PART ?? 1) - 1);

// In `npm test` only the run without faults: after a conflict or a throttled request a run can, depending on the time it
// starts at, end with nobody owning the controllers. That is known and not understood yet; the complete matrix shows it.
(ALL ? it : it.skip).each(MINE)(
  '%s at any request: ends right or waits with a reason, and no promise is broken',
  async (fault: ApiFault) => {
    const offsets = Array.from({ length: STRIDE }, (_, offset) => offset);
    const seen = await strikeAll({ fault, stride: STRIDE, nodes: 3 }, offsets);
    expect(seen.complaints).toEqual([]);
    expect(seen.struck).toBeGreaterThan(offsets.length);
    expect(seen.missed).toEqual([]);
  },
  HOURS,
);

it('without faults nothing is held and nothing is wrong', async () => {
  const golden = await strikeRun(null);
  expect(golden).toMatchObject({ indexes: [], holds: 0, complaints: [] });
});
