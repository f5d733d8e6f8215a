import { describe, expect, it } from '@jest/globals';
import { countSelectors } from '../../../../domain/gates/own/count-query.js';
import { pastBaseline, pastOf } from '../../../../domain/gates/own/past-baseline.js';
import type { TimeSeries } from '../../../../domain/gates/samples/time-series.js';
import { answered, STARTED_AT, type Target } from './given-counts.js';

const selectors = countSelectors({
  ...{ name: 'errors', kind: 'ratio', bad: 'errors', total: 'calls', limit: 0.1 },
});

/** What was counted at a minute after the process started; each is scraped at its moment. */
type Moment = readonly [minute: number, ...targets: readonly Omit<Target, 'scrapedAt'>[]];

function usual(...moments: readonly Moment[]): unknown {
  if (selectors.kind === 'unmeasured') throw new Error(selectors.why);
  const series = moments.flatMap(([minute, ...targets]): readonly TimeSeries[] => {
    const at = STARTED_AT + 60 * minute;
    return answered(at * 1000, ...targets.map((each) => ({ ...each, scrapedAt: at })));
  });
  const lastMs = (STARTED_AT + 60 * (moments.at(-1)?.[0] ?? 0)) * 1000;
  return pastBaseline(series, selectors.value, lastMs);
}

describe('what was usual in the past', () => {
  it('is what each process counted from moment to moment', () => {
    const b = (picked: number, total: number) => ({ instance: 'b:1', picked, total });
    expect(
      usual(
        [1, { picked: 5, total: 100 }, b(50, 50)],
        [2, { picked: 6, total: 110 }, b(50, 60)],
        [3, { picked: 6, total: 120 }, b(51, 70)],
      ),
    ).toMatchObject({ bad: 2, total: 40 });
  });

  it('counts a process that was restarted from its start, once that is certain', () => {
    const restarted = { startedAt: STARTED_AT + 90, picked: 1, total: 4 };
    expect(usual([1, { picked: 5, total: 100 }], [2, restarted])).toMatchObject({
      ...{ bad: 1, total: 4 },
    });
    expect(usual([1, { picked: 5, total: 100 }], [2, { picked: 0, total: 3 }])).toBeNull();
  });

  it('passes over moments that cannot be read, and counts what happened meanwhile', () => {
    expect(
      usual(
        [1, { picked: 0, total: 10 }],
        [2, { picked: 9, total: Number.NaN }],
        [3, { picked: 1, total: 30 }],
      ),
    ).toMatchObject({ bad: 1, total: 20 });
  });

  it('counts a scrape once that several moments see, and nothing that went back', () => {
    const seen = (scrapedAt: number, total: number): readonly TimeSeries[] =>
      answered((STARTED_AT + 600) * 1000, { picked: 0, total, scrapedAt });
    if (selectors.kind === 'unmeasured') throw new Error(selectors.why);
    const times: readonly (readonly [number, number])[] = [[60, 10], [120, 30], [120, 30], [60, 10], [180, 40]]; // prettier-ignore
    const series = times.flatMap(([second, total], index) =>
      seen(STARTED_AT + second, total).map(({ labels, points }) => ({
        labels,
        points: points.map((point) => ({ ...point, atMs: point.atMs + index })),
      })),
    );
    const nowMs = (STARTED_AT + 601) * 1000;
    expect(pastBaseline(series, selectors.value, nowMs)).toMatchObject({ bad: 0, total: 30 });
  });

  it.each<[string, readonly Moment[]]>([
    ['nothing', []],
    ['one moment', [[1, { picked: 0, total: 10 }]]],
    ['no events', [[1, { picked: 0, total: 10 }], [2, { picked: 0, total: 10 }]]], // prettier-ignore
  ])('is not known from %s', (_name, moments) => {
    expect(usual(...moments)).toBeNull();
  });

  it('is asked for at full steps, so that clusters share the question', () => {
    const [one, other] = [1_790_000_005_000, 1_790_000_030_000].map(pastOf);
    expect(one).toEqual(other);
    expect(one).toEqual({
      ...{ endMs: 1_789_999_920_000 + 0, stepMs: 120_000 },
      startMs: 1_789_999_920_000 - 6 * 3_600_000,
    });
  });
});
