import { type Measurement, unmeasured } from './measurement.js';

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
