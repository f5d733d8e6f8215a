import type { OwnGauge } from '../../policy.js';
import { CLOCK_TOLERANCE_MS } from '../samples/difference-counters.js';
import { type Measurement, measured, unmeasured } from '../samples/measurement.js';
import { singleValue, type TimeSeries } from '../samples/time-series.js';
import { wholeSeconds } from '../whole-seconds.js';
import { selectorsIn } from './promql-selectors.js';
import { joinedParts, partOf } from './query-parts.js';

const VALUE = 'value';
const SCRAPED = 'scraped';

/**
 * The value of a gauge together with the times of the scrapes it is calculated from, at one moment of the server. A calculated
 * value has the time of its calculation, so by itself it would look fresh for as long as its window reaches back.
 * `labels` tell clusters apart: one query serves them all.
 * Source: https://prometheus.io/docs/prometheus/latest/querying/functions/#timestamp
 */
export function gaugeQuery(
  { promql }: Pick<OwnGauge, 'promql'>,
  labels: readonly string[],
): string {
  const found = selectorsIn(promql);
  const selectors = found.kind === 'found' ? found.selectors : [];
  const by = [...labels].sort().join(', ');
  const times = selectors.map((selector, index) => {
    return [`${SCRAPED}${String(index)}`, `min by (${by}) (timestamp(${selector}))`] as const;
  });
  return joinedParts([[VALUE, `(${promql}\n)`], ...times]);
}

/** A value, and the oldest of the scrapes that it is calculated from. */
export interface OwnSample {
  readonly value: number;
  readonly scrapedAtMs: number;
}

interface ReadAt {
  /** The server's clock where it tells its time, else ours. */
  readonly nowMs: number;
  readonly staleAfterMs: number;
}

/**
 * What a gauge's answer says of one cluster. A series that is absent now dates nothing (counters begin with their first event),
 * but one must be there, and none may be older than `staleAfterMs`.
 */
export function ownSampleIn(
  series: readonly TimeSeries[],
  { nowMs, staleAfterMs }: ReadAt,
): Measurement<OwnSample> {
  const value = singleValue(series.filter((each) => partOf(each) === VALUE));
  if (value.kind === 'unmeasured') return value;
  const times = series
    .filter((each) => partOf(each).startsWith(SCRAPED))
    .map(({ points }) => Math.round((points.at(-1)?.value ?? Number.NaN) * 1000));
  if (times.length === 0) return unmeasured('none of its series was scraped lately');
  const scrapedAtMs = Math.min(...times);
  const { atMs } = value.value;
  if (Math.max(atMs, ...times) > nowMs + CLOCK_TOLERANCE_MS) {
    return unmeasured('the answer is from the future: compare the clocks');
  }
  const ageMs = Math.max(nowMs, atMs) - scrapedAtMs;
  if (!(ageMs <= staleAfterMs)) {
    return unmeasured(
      `its last scrape is ${wholeSeconds(ageMs)} old, of at most ${wholeSeconds(staleAfterMs)}`,
    );
  }
  return measured({ value: value.value.value, scrapedAtMs });
}
