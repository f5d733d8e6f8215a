import { expect, it } from '@jest/globals';
import { API_FAULTS, STRIDE, strikeRun, type ApiFault } from './matrix.js';
import { strikeAll } from './strike-all.js';

/** `npm run test:faults`: every request on three nodes; otherwise one run for each fault on one node. */
const ALL = process.env['CCM_TEST_FAULTS'] === 'all';
/** Which part of all, for several processes side by side: `1/2`. */
const [PART, PARTS] = (process.env['CCM_TEST_FAULTS_PART'] ?? '1/1').split('/').map(Number);
const HOURS = 4 * 3600 * 1000;

const MINE = API_FAULTS.filter((_, nth) => nth % (PARTS ?? 1) === (PART ?? 1) - 1).filter(
  // What hangs takes real time. A conflict on one node can end a run with nobody owning the controllers, in one run of
  // three: a defect that is known and not understood yet; the complete matrix shows it.
  (fault) => ALL || (fault !== 'hang' && fault !== 'conflict'),
);
const NODES = ALL ? 3 : 1;
const APART = ALL ? STRIDE : 3 * STRIDE;

it.each(MINE)(
  '%s at any request: ends right or waits with a reason, and no promise is broken',
  async (fault: ApiFault) => {
    const offsets = ALL ? Array.from({ length: STRIDE }, (_, offset) => offset) : [17];
    const seen = await strikeAll({ fault, stride: APART, nodes: NODES }, offsets);
    expect(seen.complaints).toEqual([]);
    expect(seen.struck).toBeGreaterThan(offsets.length);
    if (ALL) expect(seen.missed).toEqual([]);
  },
  HOURS,
);

it('without faults nothing is held and nothing is wrong', async () => {
  const golden = await strikeRun(null);
  expect(golden).toMatchObject({ indexes: [], holds: 0, complaints: [] });
});
