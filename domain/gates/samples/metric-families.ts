import type { SampleLine } from './sample-line.js';
import { type CumulativeHistogram, joinHistograms } from './histograms.js';
import { seriesKey } from './series-key.js';

/** A metric to take from a page; everything else on it is passed over. */
export interface WantedMetric {
  /** Of a histogram without `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
}

export interface Series {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** All series of one metric in one process, at one moment. */
export type MetricFamily =
  | { readonly kind: 'absent' }
  | { readonly kind: 'series'; readonly series: readonly Series[] }
  | { readonly kind: 'histograms'; readonly histograms: readonly CumulativeHistogram[] }
  /** What was read cannot be true as a whole, so no part of it counts. */
  | { readonly kind: 'contradiction'; readonly why: string };

export type MetricFamilies = ReadonlyMap<string, MetricFamily>;

/** Names of the samples by which each wanted metric appears, with what they belong to. */
export function sampleNames(wanted: readonly WantedMetric[]): ReadonlyMap<string, WantedMetric> {
  return new Map(wanted.flatMap((metric) => namesOf(metric).map((name) => [name, metric])));
}

/** A histogram's sum is not read: no gate judges an average. */
function namesOf({ name, type }: WantedMetric): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_count`] : [name];
}

/**
 * Sorts the samples of one process at one moment into the wanted metrics. `problems`: metrics that were already found
 * unreadable, with the reason.
 */
export function collectFamilies(
  lines: readonly SampleLine[],
  wanted: readonly WantedMetric[],
  problems: ReadonlyMap<string, string>,
): MetricFamilies {
  const byName = new Map<string, SampleLine[]>();
  for (const line of lines) {
    const same = byName.get(line.name);
    if (same === undefined) byName.set(line.name, [line]);
    else same.push(line);
  }
  const families = wanted.map((metric): [string, MetricFamily] => {
    const why = problems.get(metric.name);
    if (why !== undefined) return [metric.name, { kind: 'contradiction', why }];
    return [metric.name, familyOf(metric, byName)];
  });
  return new Map(families);
}

function familyOf(
  metric: WantedMetric,
  byName: ReadonlyMap<string, readonly SampleLine[]>,
): MetricFamily {
  const lines = namesOf(metric).flatMap((name) => byName.get(name) ?? []);
  if (lines.length === 0) return { kind: 'absent' };
  const twice = repeated(lines);
  if (twice !== null) return { kind: 'contradiction', why: `${twice} occurs twice` };
  if (metric.type === 'histogram') return joinHistograms(metric.name, lines);
  return { kind: 'series', series: lines.map(({ labels, value }) => ({ labels, value })) };
}

/** The first series that occurs twice, which one process never exposes; null when there is none. */
function repeated(lines: readonly SampleLine[]): string | null {
  const seen = new Set<string>();
  for (const { name, labels } of lines) {
    const key = name + seriesKey(labels);
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return null;
}
