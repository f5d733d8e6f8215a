import type { ProcessCounts } from '../samples/difference-counters.js';
import { type EventCounts, ratioCounts } from '../samples/event-counts.js';
import { isCount } from '../samples/histograms.js';
import { type Measurement, measured, unmeasured } from '../samples/measurement.js';
import { seriesKey } from '../samples/series-key.js';
import type { TimeSeries } from '../samples/time-series.js';
import { type CountPart, type CountSelectors, TARGET_LABELS, tellingPart } from './count-query.js';
import { partOf } from './query-parts.js';
import { selectorText } from './series-selector.js';

/** What the processes of a cluster have counted, each at its last scrape. */
export interface OwnCounts {
  readonly samples: readonly ProcessCounts[];
  /** Targets that cannot be scraped now. */
  readonly down: readonly string[];
}

/** Each is remembered from round to round. */
export const MOST_TARGETS = 32;

/** Numbers of one target, by part. */
type Parts = Map<string, number[]>;

/**
 * What an answer to `countQuery` says of one cluster, at the last point of each series. One target that cannot be read, or that
 * contradicts itself, leaves all unmeasured: its events may be the bad ones.
 */
export function ownCountsIn(
  series: readonly TimeSeries[],
  selectors: CountSelectors,
): Measurement<OwnCounts> {
  const { total, telling } = selectors;
  const targets = new Map<string, Parts>();
  const labels = new Set<string>();
  for (const each of series) {
    const part = partOf(each);
    if (telling.some((label) => part === tellingPart(label))) {
      labels.add(part);
      continue;
    }
    const target = targetOf(each);
    if (target === null) {
      return unmeasured(`a series has no label ${TARGET_LABELS.join(' or ')}: whose is it?`);
    }
    add(targets, target, part, each.points.at(-1)?.value ?? Number.NaN);
  }
  const counted = [...targets].filter(([, parts]) => parts.has('total' satisfies CountPart));
  if (counted.length === 0) return unmeasured(`no series of ${selectorText(total)} now`);
  const misspelt = telling.find((label) => !labels.has(tellingPart(label)));
  if (misspelt !== undefined) {
    return unmeasured(`no series of ${selectorText(total)} has the label ${misspelt}`);
  }
  const down = [...targets].filter(([, parts]) => parts.has('down' satisfies CountPart));
  return withSamples(counted, selectors, [...down.map(([target]) => target)].sort());
}

function withSamples(
  counted: readonly (readonly [string, Parts])[],
  selectors: CountSelectors,
  down: readonly string[],
): Measurement<OwnCounts> {
  if (counted.length > MOST_TARGETS) {
    const most = `of at most ${String(MOST_TARGETS)}`;
    return unmeasured(
      `${String(counted.length)} targets count, ${most}: narrow the series, or judge a gauge`,
    );
  }
  const { picked, pickedAre, total } = selectors;
  const isOwn = pickedAre === 'bad' && picked.name !== total.name;
  if (isOwn && !counted.some(([, parts]) => parts.has('picked'))) {
    return unmeasured(`no series of ${selectorText(picked)} now, so nothing tells what it counts`);
  }
  const samples: ProcessCounts[] = [];
  for (const [target, parts] of counted) {
    const sample = sampleOf(target, parts, selectors);
    if (sample.kind === 'unmeasured') return unmeasured(`${target}: ${sample.why}`);
    samples.push(sample.value);
  }
  return measured({ samples, down });
}

function targetOf({ labels }: TimeSeries): string | null {
  const named = TARGET_LABELS.map((label): [string, string] => [label, labels.get(label) ?? '']);
  return named.some(([, value]) => value === '') ? null : seriesKey(new Map(named));
}

function add(targets: Map<string, Parts>, target: string, part: string, value: number): void {
  const parts = targets.get(target) ?? new Map<string, number[]>();
  targets.set(target, parts);
  parts.set(part, [...(parts.get(part) ?? []), value]);
}

/** What one process has counted, if all of it is from one scrape. */
function sampleOf(
  place: string,
  parts: Parts,
  selectors: CountSelectors,
): Measurement<ProcessCounts> {
  const one = (part: CountPart): number => {
    const [only = Number.NaN, ...others] = parts.get(part) ?? [];
    return others.length === 0 ? only : Number.NaN;
  };
  const startedAtMs = Math.round(one('started') * 1000);
  if (!(startedAtMs > 0)) return unmeasured('has not one process_start_time_seconds');
  const scrapedAt = one('totalFirst');
  const times = [scrapedAt, one('totalLast')];
  if (parts.has('picked')) times.push(one('pickedFirst'), one('pickedLast'));
  if (!times.every((time) => time === scrapedAt)) {
    return unmeasured('its series are of several scrapes, or of several servers');
  }
  const counts = countsOf(parts, one, selectors);
  if (counts.kind === 'unmeasured') return counts;
  return measured({
    ...{ place, startedAtMs, scrapedAtMs: Math.round(scrapedAt * 1000) },
    counts: counts.value,
  });
}

function countsOf(
  parts: Parts,
  one: (part: CountPart) => number,
  { pickedAre }: CountSelectors,
): Measurement<EventCounts> {
  const total = one('total');
  // A counter with labels has no series before its first event; a bucket is there with its histogram.
  const picked = parts.has('picked') || pickedAre === 'good' ? one('picked') : 0;
  if (pickedAre === 'good' && one('pickedSeries') !== one('totalSeries')) {
    return unmeasured('not every histogram has a bucket with this edge (le)');
  }
  const bad = pickedAre === 'bad' ? picked : total - picked;
  return isCount(total) && isCount(bad)
    ? ratioCounts(measured(bad), measured(total))
    : unmeasured(`${String(bad)} bad events of ${String(total)}, which counts no events`);
}
