import { describe, expect, it } from '@jest/globals';
import { preflight } from '../../domain/preflight/preflight.js';
import { openStage } from '../activities/stage.js';
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
    const stage = await openStage({ spec });
    try {
      expect(ownersIn(stage)).toBe(found);
      const { observation } = await stage.look();
      const errors = preflight(observation, stage.context.policy).filter(
        ({ severity }) => severity === 'error',
      );
      expect([...new Set(errors.map(({ code }) => code))]).toEqual(says);
      expect(decisionIn(stage, observation, 'ccm')).toBe(first);
      const beganMs = stage.clock.nowMs();
      await stage.migrate('ccm');
      await stage.clock.sleep(2000);
      expect(ownersIn(stage)).toBe('ccm');
      // An overlap that existed before the run ends with the first step; no later step may cause another.
      const ours = intervalsOf(stage).filter(({ fromMs }) => fromMs > beganMs + 5000);
      expect(secondsOfTwo(ours)).toBe(0);
    } finally {
      await stage.close();
    }
  });
});
