import { describe, expect, it } from '@jest/globals';
import type { WantedMetric } from '../../../../domain/gates/samples/metric-families.js';
import { pickedCount } from '../../../../domain/gates/samples/picked-values.js';
import {
  type ProcessScrape,
  scrapeFromPage,
} from '../../../../domain/gates/samples/process-scrape.js';
import type { Measurement } from '../../../../domain/gates/samples/measurement.js';
import {
  type TimeSeries,
  scrapesFromSeries,
  singleValue,
} from '../../../../domain/gates/samples/time-series.js';

const WANTED: readonly WantedMetric[] = [{ name: 'errors', type: 'counter' }];
const AT = { place: 'ccm on cp-1', scrapedAtMs: 1_790_000_100_000 };
const STARTED = 'process_start_time_seconds 1.790000000123e+09\n';

const errorsOf = (scrape: Measurement<ProcessScrape>): unknown =>
  scrape.kind === 'measured' ? pickedCount(scrape.value.families, { metric: 'errors' }) : scrape;
const because = (why: string): object => ({
  kind: 'unmeasured',
  why: expect.stringContaining(why),
});

describe('a scraped page', () => {
  it('says which process counted what, and when', () => {
    const scrape = scrapeFromPage(`${STARTED}errors 4\n`, WANTED, AT);
    expect(scrape).toMatchObject({ value: { ...AT, startedAtMs: 1_790_000_000_123 } });
    expect(errorsOf(scrape)).toEqual({ kind: 'measured', value: 4 });
  });

  it('is from the time that the exporter gives', () => {
    const page = `${STARTED}errors 4 1790000090000\n`;
    expect(scrapeFromPage(page, WANTED, AT)).toMatchObject({
      value: { scrapedAtMs: 1_790_000_090_000 },
    });
  });

  it.each([
    ['cut off', `${STARTED}errors 4`, 'ends within a line'],
    ['without a process', 'errors 4\n', 'there is no process_start_time_seconds'],
    ['of a process without a start', 'process_start_time_seconds 0\n', 'did not start at 0'],
    ['of a process that is NaN', 'process_start_time_seconds NaN\n', 'no number'],
    [
      'of several times',
      `${STARTED}errors{a="1"} 4 1\nerrors{a="2"} 4 2\n`,
      'different timestamps',
    ],
  ])('is unmeasured when it is %s', (_name, page, why) => {
    expect(scrapeFromPage(page, WANTED, AT)).toEqual(because(why));
  });
});

const TARGET = { job: 'kcm', instance: '10.0.0.1:10257' };

function series(
  labels: Readonly<Record<string, string>>,
  ...points: readonly (readonly [number, number])[]
): TimeSeries {
  return {
    labels: new Map(Object.entries(labels)),
    points: points.map(([atMs, value]) => ({ atMs, value })),
  };
}

const start = (target: object, ...atMs: readonly number[]): TimeSeries =>
  series(
    { __name__: 'process_start_time_seconds', ...target },
    ...atMs.map((at) => [at, 1.79e9] as const),
  );

describe('raw series of a time series database', () => {
  it('are the scrapes of each target, oldest first', () => {
    const other = { ...TARGET, instance: '10.0.0.2:10257' };
    const found = scrapesFromSeries(
      [
        series({ __name__: 'errors', ...TARGET }, [2000, 5], [1000, 4]),
        start(TARGET, 1000, 2000),
        start(other, 1500),
      ],
      WANTED,
    );
    const places = found.kind === 'measured' ? found.value : [];
    expect(places.map(({ place }) => place)).toEqual([
      '{instance="10.0.0.1:10257",job="kcm"}',
      '{instance="10.0.0.2:10257",job="kcm"}',
    ]);
    expect(
      places.map(({ scrapes }) => scrapes.map(({ atMs, scrape }) => [atMs, errorsOf(scrape)])),
    ).toEqual([
      [
        [1000, { kind: 'measured', value: 4 }],
        [2000, { kind: 'measured', value: 5 }],
      ],
      [[1500, because('there is no errors')]],
    ]);
  });

  it('without a start of the process at that moment are unmeasured there', () => {
    const found = scrapesFromSeries(
      [series({ __name__: 'errors', ...TARGET }, [1000, 4], [2000, 5]), start(TARGET, 1000)],
      WANTED,
    );
    expect(found).toMatchObject({
      value: [
        { scrapes: [{ scrape: { kind: 'measured' } }, { scrape: because('no process_st') }] },
      ],
    });
  });

  it.each([
    ['an empty name', {}, 'a series of "" was not asked for'],
    ['another name', { __name__: 'others' }, 'a series of "others" was not asked for'],
    ['no instance', { __name__: 'errors', job: 'kcm' }, 'whose is it'],
    ['no job', { __name__: 'errors', instance: 'a' }, 'whose is it'],
  ])('are refused as a whole with %s: they were relabelled', (_name, labels, why) => {
    expect(scrapesFromSeries([series(labels, [1, 1])], WANTED)).toEqual(because(why));
  });
});

describe('the value of a query that means one', () => {
  it.each<[string, readonly TimeSeries[], unknown]>([
    [
      'one series',
      [series({}, [1, 2], [3, 4])],
      { kind: 'measured', value: { atMs: 3, value: 4 } },
    ],
    ['no series', [], because('no result')],
    ['a series without values', [series({})], because('no result')],
    [
      'several series',
      [series({ a: '1' }, [1, 2]), series({ a: '2' }, [1, 2])],
      because('2 series'),
    ],
    ['NaN', [series({}, [1, Number.NaN])], because('NaN')],
    ['an infinite value', [series({}, [1, -Infinity])], because('-Infinity')],
  ])('is a number or unmeasured: %s', (_name, found, expected) => {
    expect(singleValue(found)).toEqual(expected);
  });
});
