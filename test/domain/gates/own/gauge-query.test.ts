import { describe, expect, it } from '@jest/globals';
import { gaugeQuery, ownSampleIn } from '../../../../domain/gates/own/gauge-query.js';
import type { TimeSeries } from '../../../../domain/gates/samples/time-series.js';

const NOW_MS = 1_790_000_000_000;
const AT = { nowMs: NOW_MS, staleAfterMs: 120_000 };

/** A part of an answer that was calculated so long ago. */
function part(name: string, value: number, agoMs = 0): TimeSeries {
  const labels = new Map([
    ['cluster', 'prod-1'],
    ['ccm_migrate_part', name],
  ]);
  return { labels, points: [{ atMs: NOW_MS - agoMs, value }] };
}
const scraped = (index: number, agoMs: number): TimeSeries =>
  part(`scraped${String(index)}`, (NOW_MS - agoMs) / 1000);

describe('the query of a gauge', () => {
  it('asks for its value and for the oldest scrape of each of its series', () => {
    const query = gaugeQuery({ promql: 'sum by (cluster) (a) / max(b) # share' }, [
      'zone',
      'cluster',
    ]);
    expect(query).toBe(
      [
        'label_replace((sum by (cluster) (a) / max(b) # share\n), "ccm_migrate_part", "value", "", "")',
        'label_replace(min by (cluster, zone) (timestamp(a)), "ccm_migrate_part", "scraped0", "", "")',
        'label_replace(min by (cluster, zone) (timestamp(b)), "ccm_migrate_part", "scraped1", "", "")',
      ].join(' or '),
    );
  });

  it('of what cannot be read asks for no scrapes, so that it never passes', () => {
    expect(gaugeQuery({ promql: 'sum(' }, ['cluster'])).not.toContain('scraped');
  });
});

describe('the answer of a gauge', () => {
  it('is its value with the oldest of its scrapes', () => {
    const answer = [part('value', 7), scraped(0, 4_000), scraped(1, 15_000)];
    expect(ownSampleIn(answer, AT)).toEqual({
      kind: 'measured',
      value: { value: 7, scrapedAtMs: NOW_MS - 15_000 },
    });
  });

  const good = [part('value', 7), scraped(0, 4_000)];
  it.each([
    ['nothing at all', [], 'the query has no result'],
    ['a series that was not asked for', [{ ...scraped(0, 0), labels: new Map() }], 'no result'],
    ['no value', [scraped(0, 0)], 'the query has no result'],
    ['several values', [...good, part('value', 8)], 'the query has 2 series, not one'],
    ['NaN', [part('value', Number.NaN), scraped(0, 0)], 'the query results in NaN'],
    ['+Inf', [part('value', Infinity), scraped(0, 0)], 'the query results in Infinity'],
    ['-Inf', [part('value', -Infinity), scraped(0, 0)], 'the query results in -Infinity'],
    ['no scrape', [part('value', 7)], 'none of its series was scraped lately'],
    [
      'a scrape at no time',
      [...good, part('scraped1', Number.NaN)],
      'its last scrape is NaN s old',
    ],
    [
      'a scrape without a sample',
      [...good, { ...scraped(1, 0), points: [] }],
      'its last scrape is NaN s old',
    ],
    ['one old scrape', [...good, scraped(1, 121_000)], 'is 121 s old, of at most 120 s'],
    ['a scrape in the future', [...good, scraped(1, -6_000)], 'from the future'],
    ['a calculation in the future', [part('value', 7, -6_000), scraped(0, 0)], 'from the future'],
  ])('is unmeasured with %s', (_name, answer, why) => {
    expect(ownSampleIn(answer, AT)).toEqual({
      kind: 'unmeasured',
      why: expect.stringContaining(why),
    });
  });

  it('of a cache is as old as its scrape', () => {
    const answer = [part('value', 7, 200_000), scraped(0, 204_000)];
    expect(ownSampleIn(answer, AT)).toMatchObject({ kind: 'unmeasured' });
  });
});
