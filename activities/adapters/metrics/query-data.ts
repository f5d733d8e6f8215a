import { parseSampleValue } from '../../../domain/gates/samples/sample-line.js';
import { seriesKey } from '../../../domain/gates/samples/series-key.js';
import type { TimePoint, TimeSeries } from '../../../domain/gates/samples/time-series.js';

/** The `data` of an answer as series, or why it is none. */
export type QueryData =
  | { readonly kind: 'raw' | 'calculated'; readonly series: readonly TimeSeries[] }
  | { readonly kind: 'refused'; readonly why: string };

class NotAsDefined extends Error {}

/**
 * Reads the result of a query strictly: a part that is missing, has another type, or does not belong there is not passed
 * over, because what is passed over might be the error. A `matrix` of an instant query holds the scrapes of a range
 * selector. Native histograms, which have no bucket edges to count at, and texts are refused.
 * Source: https://prometheus.io/docs/prometheus/latest/querying/api/#expression-query-result-formats
 */
export function readQueryData(data: unknown, asked: 'instant' | 'range'): QueryData {
  try {
    return dataOf(data, asked);
  } catch (error) {
    if (error instanceof NotAsDefined) return { kind: 'refused', why: error.message };
    throw error;
  }
}

function dataOf(data: unknown, asked: 'instant' | 'range'): QueryData {
  const { resultType, result } = objectIn(data, 'data');
  if (resultType === 'scalar' && asked === 'instant') {
    return { kind: 'calculated', series: [{ labels: new Map(), points: [pointOf(result)] }] };
  }
  if (resultType === 'vector' && asked === 'instant') {
    return { kind: 'calculated', series: distinct(listIn(result, 'result').map(ofVector)) };
  }
  if (resultType === 'matrix') {
    const series = distinct(listIn(result, 'result').map(ofMatrix));
    return { kind: asked === 'instant' ? 'raw' : 'calculated', series };
  }
  throw new NotAsDefined(
    resultType === 'string'
      ? 'the query results in a text, not in numbers'
      : 'the answer has a result type that was not asked for',
  );
}

function ofVector(value: unknown): TimeSeries {
  const { metric, value: point } = onlyMembers(value, ['metric', 'value']);
  return { labels: labelsOf(metric), points: [pointOf(point)] };
}

function ofMatrix(value: unknown): TimeSeries {
  const { metric, values } = onlyMembers(value, ['metric', 'values']);
  const points = listIn(values, 'values').map(pointOf);
  const rises = points.every(({ atMs }, index) => atMs > (points[index - 1]?.atMs ?? -Infinity));
  if (!rises) throw new NotAsDefined('a series is not in the order of time');
  return { labels: labelsOf(metric), points };
}

function pointOf(value: unknown): TimePoint {
  const [at, written, ...others] = listIn(value, 'a sample');
  if (typeof at !== 'number' || typeof written !== 'string' || others.length > 0) {
    throw new NotAsDefined('a sample is not a time with a value');
  }
  const number = parseSampleValue(written);
  // Years 1970 to 5138: a time in ms where seconds are due would lie in the far future.
  if (number === null || !(at >= 0 && at < 1e11)) {
    throw new NotAsDefined('a sample has a time or a value that is not a number');
  }
  return { atMs: Math.round(at * 1000), value: number };
}

function labelsOf(metric: unknown): ReadonlyMap<string, string> {
  const labels = Object.entries(objectIn(metric, 'metric')).map(([name, value]) => {
    if (typeof value !== 'string') throw new NotAsDefined('a label is not a text');
    return [name, value] as const;
  });
  return new Map(labels);
}

/** Two results with the same labels contradict each other. */
function distinct(series: readonly TimeSeries[]): readonly TimeSeries[] {
  const keys = new Set(series.map(({ labels }) => seriesKey(labels)));
  if (keys.size < series.length) throw new NotAsDefined('the answer has one series twice');
  return series;
}

function objectIn(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new NotAsDefined(`the answer has no ${what}`);
}

function onlyMembers(value: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  const members = objectIn(value, 'series');
  const other = Object.keys(members).find((name) => !names.includes(name));
  if (other === undefined) return members;
  throw new NotAsDefined(
    other.startsWith('histogram')
      ? 'a series is a native histogram, which has no bucket edges'
      : 'a series has members that the API does not define',
  );
}

function listIn(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new NotAsDefined(`${what} is not a list`);
}
