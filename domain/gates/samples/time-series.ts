import { type Measurement, unmeasured } from './measurement.js';
import { type WantedMetric, collectFamilies, sampleNames } from './metric-families.js';
import { PROCESS_START, type ProcessScrape, scrapeOf } from './process-scrape.js';
import type { SampleLine } from './sample-line.js';
import { seriesKey } from './series-key.js';

/** One series over time, as a time series database returns it. */
export interface TimeSeries {
  /** With the metric's name under `__name__`, unless a calculation removed it. */
  readonly labels: ReadonlyMap<string, string>;
  readonly points: readonly TimePoint[];
}

export interface TimePoint {
  /** Of the scrape, in milliseconds of Unix time. */
  readonly atMs: number;
  /** May be NaN or infinite. */
  readonly value: number;
}

/** Scrapes of one place, oldest first. */
export interface PlaceScrapes {
  readonly place: string;
  readonly scrapes: readonly {
    readonly atMs: number;
    readonly scrape: Measurement<ProcessScrape>;
  }[];
}

/** What Prometheus calls a scraped target. Source: https://prometheus.io/docs/concepts/jobs_instances/ */
const TARGET_LABELS = ['job', 'instance'] as const;

/**
 * The scrapes that raw series consist of (a range selector such as `metric[2m]`: calculated series have lost their
 * scrapes). Series belong to one process by the labels of their target, and to one scrape by their timestamp, which
 * Prometheus gives to all samples of a scrape. Series without these labels could be of any process, so all are refused.
 */
export function scrapesFromSeries(
  series: readonly TimeSeries[],
  wanted: readonly WantedMetric[],
): Measurement<readonly PlaceScrapes[]> {
  const metrics = [...wanted, PROCESS_START];
  const names = sampleNames(metrics);
  const places = new Map<string, Map<number, SampleLine[]>>();
  for (const { labels, points } of series) {
    const name = labels.get('__name__') ?? '';
    if (!names.has(name)) return unmeasured(`a series of "${name.slice(0, 80)}" was not asked for`);
    const place = placeOf(labels);
    if (place === null) {
      return unmeasured(
        `${name} has no label ${TARGET_LABELS.join(' or no label ')}: whose is it?`,
      );
    }
    const own = new Map([...labels].filter(([label]) => label !== '__name__'));
    const moments = at(places, place, () => new Map<number, SampleLine[]>());
    for (const { atMs, value } of points) {
      at(moments, atMs, () => []).push({ name, labels: own, value, atMs });
    }
  }
  const value = [...places].map(([place, moments]) => ({
    place,
    scrapes: [...moments]
      .toSorted(([a], [b]) => a - b)
      .map(([atMs, lines]) => ({
        atMs,
        scrape: scrapeOf(place, atMs, collectFamilies(lines, metrics)),
      })),
  }));
  return { kind: 'measured', value };
}

function placeOf(labels: ReadonlyMap<string, string>): string | null {
  const named = TARGET_LABELS.map((label): [string, string] => [label, labels.get(label) ?? '']);
  return named.some(([, value]) => value === '') ? null : seriesKey(new Map(named));
}

function at<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** A value of the operator's own query, with the time at which it was calculated. */
export interface GaugeSample {
  readonly value: number;
  readonly atMs: number;
}

/**
 * The one value of a query that means one. An empty answer, several series and a value that is no number are unmeasured:
 * the metric may be gone, or renamed.
 */
export function singleValue(series: readonly TimeSeries[]): Measurement<GaugeSample> {
  const [only] = series;
  const last = only?.points.at(-1);
  if (only === undefined || last === undefined) return unmeasured('the query has no result');
  if (series.length > 1) return unmeasured(`the query has ${series.length} series, not one`);
  return Number.isFinite(last.value)
    ? { kind: 'measured', value: last }
    : unmeasured(`the query results in ${last.value}`);
}
