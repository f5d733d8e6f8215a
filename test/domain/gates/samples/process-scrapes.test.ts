import { describe, expect, it } from '@jest/globals';
import type { WantedMetric } from '../../../../domain/gates/samples/metric-families.js';
import { pickedCount } from '../../../../domain/gates/samples/picked-values.js';
import {
  type ProcessScrape,
  scrapeFromPage,
} from '../../../../domain/gates/samples/process-scrape.js';
import type { Measurement } from '../../../../domain/gates/samples/measurement.js';
import { type TimeSeries, singleValue } from '../../../../domain/gates/samples/time-series.js';

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

function series(
  labels: Readonly<Record<string, string>>,
  ...points: readonly (readonly [number, number])[]
): TimeSeries {
  return {
    labels: new Map(Object.entries(labels)),
    points: points.map(([atMs, value]) => ({ atMs, value })),
  };
}

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
