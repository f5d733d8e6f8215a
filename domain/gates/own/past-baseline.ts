import { type CountBaseline, countBaselineOf } from '../counts/count-baseline.js';
import type { Counts } from '../counts/count-evidence.js';
import type { CountIncrement } from '../counts/count-increment.js';
import {
  asSample,
  differenceCounters,
  type ProcessCounts,
} from '../samples/difference-counters.js';
import type { TimeSeries } from '../samples/time-series.js';
import type { CountSelectors } from './count-query.js';
import { ownCountsIn } from './count-reading.js';

/** So much of the past is asked for, a moment each so often. Six hours: what is usual changes with the time of day. */
const PAST_MS = 6 * 3_600_000;
const STEP_MS = 120_000;

/** The past before now, at full steps: equal for all clusters that ask at about the same time. */
export function pastOf(nowMs: number): {
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
} {
  const endMs = Math.floor(nowMs / STEP_MS) * STEP_MS;
  return { startMs: endMs - PAST_MS, endMs, stepMs: STEP_MS };
}

/**
 * What was usual, from the answer to `countQuery` over the past: each process by itself, from moment to moment. Moments that
 * cannot be read are passed over, as the counters tell what happened meanwhile. Null where no event is known.
 */
export function pastBaseline(
  series: readonly TimeSeries[],
  selectors: CountSelectors,
  nowMs: number,
): CountBaseline | null {
  const bases = new Map<string, ProcessCounts>();
  const increments: CountIncrement[] = [];
  for (const [atMs, moment] of momentsIn(series)) {
    const read = ownCountsIn(moment, selectors);
    if (read.kind === 'unmeasured') continue;
    let [bad, total] = [0, 0];
    for (const sample of read.value.samples) {
      const counted = since(bases, sample, atMs);
      bad += counted.bad;
      total += counted.total;
    }
    increments.push({ atMs, bad, total });
  }
  const made = countBaselineOf(increments, Math.max(nowMs, increments.at(-1)?.atMs ?? nowMs));
  return made.kind === 'known' && made.baseline.total > 0 ? made.baseline : null;
}

/** What a process counted since the moment before; nothing where that is not known. */
function since(bases: Map<string, ProcessCounts>, sample: ProcessCounts, nowMs: number): Counts {
  const nothing = { bad: 0, total: 0 };
  const before = bases.get(sample.place);
  if (before === undefined) {
    bases.set(sample.place, sample);
    return nothing;
  }
  const next = asSample(sample);
  const clock = { nowMs, staleAfterMs: PAST_MS };
  const found = differenceCounters(asSample(before), next, clock);
  // Otherwise the base is still the one before.
  if (found.base === next) bases.set(sample.place, sample);
  switch (found.kind) {
    case 'counted':
      return found.increment;
    case 'restarted':
      return found.increment ?? nothing;
    case 'same':
    case 'unmeasured':
      return nothing;
  }
}

/** The series at each moment of the answer, oldest first. */
function momentsIn(
  series: readonly TimeSeries[],
): readonly (readonly [number, readonly TimeSeries[]])[] {
  const moments = new Map<number, TimeSeries[]>();
  for (const { labels, points } of series) {
    for (const point of points) {
      const moment = moments.get(point.atMs) ?? [];
      moments.set(point.atMs, moment);
      moment.push({ labels, points: [point] });
    }
  }
  return [...moments].sort(([a], [b]) => a - b);
}
