import type { CumulativeHistogram } from './histograms.js';
import { type Measurement, measured, unmeasured } from './measurement.js';

/** What a process has counted since its start. */
export interface EventCounts {
  readonly bad: number;
  /** Never less than `bad`. */
  readonly total: number;
}

/** Bad events of all events; more bad ones than events contradict each other. */
export function ratioCounts(
  bad: Measurement<number>,
  total: Measurement<number>,
): Measurement<EventCounts> {
  if (bad.kind === 'unmeasured') return bad;
  if (total.kind === 'unmeasured') return total;
  return bad.value <= total.value
    ? measured({ bad: bad.value, total: total.value })
    : unmeasured(`${bad.value} bad events of ${total.value} contradict each other`);
}

/**
 * Events above a bucket edge, of all events: `1 - bucket(le=edge)/count`. A histogram says nothing about what lies between
 * its edges, so one that is not an edge (KEP-2395's 60 s in buckets of powers of two) is refused and never rounded.
 */
export function latencyCounts(
  histogram: Measurement<CumulativeHistogram>,
  edge: number,
): Measurement<EventCounts> {
  if (histogram.kind === 'unmeasured') return histogram;
  const { buckets, count } = histogram.value;
  const bucket = Number.isFinite(edge) ? buckets.find((one) => one.edge === edge) : undefined;
  if (bucket === undefined) {
    const edges = buckets.map((one) => one.edge).filter(Number.isFinite);
    return unmeasured(`${edge} is no bucket edge; the edges are ${edges.join(', ')}`);
  }
  return measured({ bad: count - bucket.count, total: count });
}
