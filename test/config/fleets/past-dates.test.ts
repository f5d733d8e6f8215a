import { describe, expect, it } from '@jest/globals';
import { lintTree } from '../../../config/fleet.js';
import { formatWarning } from '../../../config/problems.js';
import { pastDates } from '../../../config/rules/past-dates.js';
import { ran } from '../../cli/fake-terminal.js';
import { withFiles } from '../given-files.js';
import { FILES, fleetWith } from './given-fleet.js';

const FLEET = fleetWith(`  rollout:
    startAt: 2026-03-01T20:00:00+01:00
    deadline: 2026-03-08T20:00:00+01:00
  rest: skip
  waves:
    - name: pilot
      selector: { labels: { tier: pilot } }
    - name: main
      selector: { labels: { tier: main } }
      excludedDates: [2026-03-03, 2026-03-05]
`);

async function warned(now: string, fleet = FLEET): Promise<readonly string[]> {
  return withFiles({ ...FILES, 'fleet.yaml': fleet }, async (folder) => {
    const { problems, fleetDocuments } = await lintTree([folder]);
    expect(problems).toEqual([]);
    return fleetDocuments
      .flatMap((document) => pastDates(document, Date.parse(now)))
      .map((each) => formatWarning(each).replace(`${folder}/`, ''));
  });
}

const START =
  'fleet.yaml:8:14: warning: spec.rollout.startAt: has passed: clusters start at once (CCM5033)';
const FIRST =
  'fleet.yaml:16:23: warning: spec.waves.1.excludedDates.0: 2026-03-03 has passed: it keeps no cluster back (CCM5033)';
const SECOND =
  'fleet.yaml:16:35: warning: spec.waves.1.excludedDates.1: 2026-03-05 has passed: it keeps no cluster back (CCM5033)';
const DEADLINE =
  'fleet.yaml:9:15: warning: spec.rollout.deadline: has passed: no cluster starts any more (CCM5033)';

describe('a date of a fleet', () => {
  it.each<[string, readonly string[]]>([
    ['2026-03-01T18:59:59.999Z', []],
    ['2026-03-01T19:00:00Z', [START]],
    // In UTC-12 the 3rd lasts until then.
    ['2026-03-04T11:59:59.999Z', [START]],
    ['2026-03-04T12:00:00Z', [START, FIRST]],
    ['2026-03-08T18:59:59.999Z', [START, FIRST, SECOND]],
    ['2026-03-08T19:00:00Z', [START, DEADLINE, FIRST, SECOND]],
  ])('is warned of once it has passed: %s', async (now, expected) => {
    expect(await warned(now)).toEqual(expected);
  });

  it('is not missed where none is written', async () => {
    expect(await warned('2999-01-01T00:00:00Z', fleetWith(''))).toEqual([]);
  });
});

const DUE = (deadline: string): string => fleetWith(`  rollout: { deadline: "${deadline}" }\n`);

describe('lint of a fleet whose deadline', () => {
  it.each([
    ['has passed', '2001-01-01T00:00:00Z', 1, 'no problems, 1 warning\n'],
    ['has not', '2999-01-01T00:00:00Z', 0, 'no problems\n'],
  ])('%s succeeds all the same, and says so', async (_, deadline, count, summary) => {
    await withFiles({ ...FILES, 'fleet.yaml': DUE(deadline) }, async (folder) => {
      const { stdout, exit } = await ran(['lint', folder]);
      expect([exit, stdout.endsWith(summary)]).toEqual([0, true]);
      expect(stdout.split(': warning: ')).toHaveLength(count + 1);
      const json = JSON.parse((await ran(['lint', folder, '-o', 'json'])).stdout) as object;
      expect(json).toMatchObject({ problems: [], warnings: { length: count } });
    });
  });
});
