import { describe, expect, it } from '@jest/globals';
import { USER_AGENTS } from '../../config/names.js';
import { openEnvironment, type EnvironmentOptions } from '../activities/environment.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';
import { driveRun } from './drive-run.js';

const WAYS: readonly (readonly [string, EnvironmentOptions])[] = [
  ['in place', {}],
  ['machines replaced', { policy: { nodes: { forward: 'replace', rollback: 'inPlace' } } }],
];

/**
 * Of a forward migration of three nodes; the guard's observations come on top, at their own pace. Most of them observe before and after
 * each step, and read the fence before each write.
 */
const MOST_API_REQUESTS = 155;
/** Before the CCM starts, each of its rights is checked once. */
const MOST_REVIEWS = 35;

describe.each(WAYS)('%s', (_name, options) => {
  it(`a forward migration of three nodes makes at most ${String(MOST_API_REQUESTS)} requests to the API server`, async () => {
    const environment = await openEnvironment({ ...options, timings: { fenceRenewMs: 5000 } });
    try {
      const { ccmManifest } = environment;
      const run = await driveRun(environment, { target: 'ccm', runId: 'run-ccm', ccmManifest });
      expect(run.outcome.kind).toBe('done');
      const all = (await environment.journal()).filter(isApiRequestOfSteps);
      const asked = all.filter(({ resource }) => resource !== 'subjectaccessreviews');
      expect(all.length - asked.length).toBeLessThanOrEqual(MOST_REVIEWS);
      const counts = new Map<string, number>();
      for (const { verb, resource } of asked) {
        const key = `${verb} ${resource}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      // The table shows which observation grew.
      const table = [...counts]
        .sort((a, b) => b[1] - a[1])
        .map(([key, n]) => `${String(n)} ${key}`);
      const tooMany = asked.length > MOST_API_REQUESTS ? { total: asked.length, table } : null;
      expect(tooMany).toBeNull();
    } finally {
      await environment.close();
    }
  });
});

function isApiRequestOfSteps({ path, userAgent }: JournalEntry): boolean {
  return userAgent === USER_AGENTS.steps && /^\/(api|apis|version)(\/|$|\?)/.test(path);
}
