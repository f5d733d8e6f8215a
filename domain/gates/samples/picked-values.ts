import { type CumulativeHistogram, isCount } from './histograms.js';
import { type Measurement, measured, unmeasured } from './measurement.js';
import type { MetricFamilies, Series } from './metric-families.js';

/** Which series of a metric are meant. */
export interface SeriesPick {
  readonly metric: string;
  /** Labels that a series must have; it may have others. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Several series that match are refused, unless all of them together are meant. */
  readonly several?: 'refuse' | 'sum';
  /**
   * What it means that no series matches. A counter with labels has no series before its first event, so beside a
   * denominator that exists it counts `none`; everything else without a series is unmeasured.
   */
  readonly absent?: 'unmeasured' | 'none';
}

/** Events that the picked series of a counter have counted so far. */
export function pickedCount(families: MetricFamilies, pick: SeriesPick): Measurement<number> {
  const found = pickedSeries(families, pick);
  if (found.kind === 'unmeasured') return found;
  const values = found.value.map(({ value }) => value);
  const wrong = values.find((value) => !isCount(value));
  return wrong === undefined
    ? total(pick.metric, values)
    : unmeasured(`${pick.metric} is ${wrong}, which counts no events`);
}

/** Value of a gauge; a sum where several series are meant together. */
export function pickedGauge(families: MetricFamilies, pick: SeriesPick): Measurement<number> {
  const found = pickedSeries(families, pick);
  if (found.kind === 'unmeasured') return found;
  const values = found.value.map(({ value }) => value);
  const wrong = values.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) return unmeasured(`${pick.metric} is ${wrong}, which is no number`);
  const sum = values.reduce((all, value) => all + value, 0);
  return Number.isFinite(sum) ? measured(sum) : unmeasured(`the sum of ${pick.metric} overflows`);
}

/** The picked histogram; several are refused even where a sum is meant, because their edges may differ. */
export function pickedHistogram(
  families: MetricFamilies,
  { metric, labels = {} }: Pick<SeriesPick, 'metric' | 'labels'>,
): Measurement<CumulativeHistogram> {
  const family = families.get(metric) ?? ABSENT;
  switch (family.kind) {
    case 'absent':
      return unmeasured(`there is no ${metric}`);
    case 'contradiction':
      return unmeasured(family.why);
    case 'series':
      return unmeasured(`${metric} is no histogram`);
    case 'histograms': {
      const found = family.histograms.filter((one) => hasLabels(one.labels, labels));
      const [only] = found;
      if (only === undefined) return unmeasured(`no series of ${metric} has the labels meant`);
      return found.length === 1
        ? measured(only)
        : unmeasured(`${metric} has ${found.length} series where one was meant`);
    }
  }
}

/** Both together, as a denominator whose parts exclude each other; a number only if both are. */
export function addCounts(
  one: Measurement<number>,
  other: Measurement<number>,
): Measurement<number> {
  if (one.kind === 'unmeasured') return one;
  return other.kind === 'unmeasured' ? other : total('the sum', [one.value, other.value]);
}

const ABSENT = { kind: 'absent' } as const;

function pickedSeries(families: MetricFamilies, pick: SeriesPick): Measurement<readonly Series[]> {
  const { metric, labels = {}, several = 'refuse' } = pick;
  const family = families.get(metric) ?? ABSENT;
  if (family.kind === 'contradiction') return unmeasured(family.why);
  if (family.kind === 'histograms') return unmeasured(`${metric} is a histogram`);
  const all = family.kind === 'absent' ? [] : family.series;
  const found = all.filter((one) => hasLabels(one.labels, labels));
  if (found.length === 0) return withoutSeries(pick, all.length);
  return found.length > 1 && several === 'refuse'
    ? unmeasured(`${metric} has ${found.length} series where one was meant`)
    : measured(found);
}

function withoutSeries(
  { metric, absent = 'unmeasured' }: SeriesPick,
  others: number,
): Measurement<readonly Series[]> {
  if (absent === 'none') return measured([]);
  return unmeasured(
    others === 0 ? `there is no ${metric}` : `no series of ${metric} has the labels meant`,
  );
}

function hasLabels(
  labels: ReadonlyMap<string, string>,
  meant: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(meant).every(([name, value]) => labels.get(name) === value);
}

/** Above 2^53 a double cannot count single events any more. */
function total(what: string, values: readonly number[]): Measurement<number> {
  const sum = values.reduce((all, value) => all + value, 0);
  return isCount(sum) ? measured(sum) : unmeasured(`${what} has counted too many events`);
}
