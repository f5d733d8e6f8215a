import { expect, it } from '@jest/globals';
import { API_FAULTS } from './matrix.js';
import { strikeOnTemporal } from './strike-on-temporal.js';

/** `npm run test:faults`, its second half. */
const ON_TEMPORAL = process.env['CCM_TEST_FAULTS'] === 'temporal';
/** Which part of it, for several processes side by side: `1/2`. */
const [PART, PARTS] = (process.env['CCM_TEST_FAULTS_PART'] ?? '1/1').split('/').map(Number);
const MINE = API_FAULTS.filter((_, nth) => nth % (PARTS ?? 1) === (PART ?? 1) - 1);

/** Every twentieth request; each fault begins at another one. */
const EVERY = 20;

(ON_TEMPORAL ? it : it.skip).each(MINE)(
  '%s at every twentieth request on three nodes, on a real Temporal server: ends right',
  async (fault) => {
    const run = API_FAULTS.indexOf(fault);
    const { complaints, ...figures } = await strikeOnTemporal(fault, { run, runs: EVERY });
    process.stdout.write(`${fault} on Temporal: ${JSON.stringify(figures)}\n`);
    expect(complaints).toEqual([]);
    expect(figures.struck).toBeGreaterThan(20);
  },
  1_800_000,
);
