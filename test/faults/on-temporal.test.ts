import { expect, it } from '@jest/globals';
import { API_FAULTS, type ApiFault } from './matrix.js';
import { strikeOnTemporal } from './strike-on-temporal.js';

/** `npm run test:faults`, its second half. */
const ON_TEMPORAL = process.env['CCM_TEST_FAULTS'] === 'temporal';
/** Which part of it, to run several processes in parallel: `1/2`. */
const [PART, PARTS] = (process.env['CCM_TEST_FAULTS_PART'] ?? '1/1').split('/').map(Number);
const MINE = API_FAULTS.filter((_, nth) => nth % (PARTS ?? 1) === (PART ?? 1) - 1);

/** Every twentieth request; each fault begins at a different one. */
const EVERY = 20;
/**
 * Divided among so many runs that no single request is retried: an observation of three nodes makes some forty requests, and would be
 * struck in each attempt.
 */
const RUNS: Partial<Record<ApiFault, number>> = { conflict: 4, throttle: 4, hang: 4 };

(ON_TEMPORAL ? it : it.skip).each(MINE)(
  'a run with %s at every twentieth request ends correctly on three nodes and a real Temporal server',
  async (fault) => {
    const runs = RUNS[fault] ?? 1;
    let struck = 0;
    for (let nth = 0; nth < runs; nth += 1) {
      const run = API_FAULTS.indexOf(fault) + EVERY * nth;
      const { complaints, ...figures } = await strikeOnTemporal(fault, { run, runs: EVERY * runs });
      process.stdout.write(`${fault} on Temporal: ${JSON.stringify(figures)}\n`);
      expect(complaints).toEqual([]);
      struck += figures.struck;
    }
    expect(struck).toBeGreaterThan(40);
  },
  1_800_000,
);
