import { describe, expect, it } from '@jest/globals';
import { preflight } from '../../domain/preflight/preflight.js';
import { openEnvironment } from '../activities/environment.js';
import { claim } from './claims.js';
import { FOUND_CLUSTERS } from './found-clusters.js';
import { decisionIn, intervalsOf, ownersIn, secondsOfTwo } from './views.js';

/**
 * `test/testbed/simulator/proven-*.test.ts` shows the harm of each state as real binaries cause it. Here the same clusters meet this project: what
 * preflight reports, which step comes first, and whether one CCM owns everything in the end. `test/testbed/lab/truth` builds the same rows on real
 * control planes.
 */
const ROWS = FOUND_CLUSTERS.map((row) => ({ ...row, name: `${claim(row.claim)} ${row.about}` }));

describe('clusters as real binaries leave them are repaired during the migration', () => {
  it.each(ROWS)('$name', async ({ spec, found, says, first }) => {
    const environment = await openEnvironment({ spec });
    try {
      expect(ownersIn(environment)).toBe(found);
      const { observation } = await environment.snapshot();
      const errors = preflight(observation, environment.context.policy).filter(
        ({ severity }) => severity === 'error',
      );
      expect([...new Set(errors.map(({ code }) => code))]).toEqual(says);
      expect(decisionIn(environment, observation, 'ccm')).toBe(first);
      const beganMs = environment.clock.nowMs();
      await environment.migrate('ccm');
      await environment.clock.sleep(2000);
      expect(ownersIn(environment)).toBe('ccm');
      // An overlap that existed before the run ends with the first step; no later step may cause another.
      const ours = intervalsOf(environment).filter(({ fromMs }) => fromMs > beganMs + 5000);
      expect(secondsOfTwo(ours)).toBe(0);
    } finally {
      await environment.close();
    }
  });
});
