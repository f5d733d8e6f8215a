import type { GateMeasure, MetricSeries } from '../catalogue/catalogue-gate.js';
import type { EventCounts } from '../samples/event-counts.js';
import { latencyCounts, ratioCounts } from '../samples/event-counts.js';
import type { Measurement } from '../samples/measurement.js';
import type { MetricFamilies, WantedMetric } from '../samples/metric-families.js';
import { addCounts, pickedCount, pickedGauge, pickedHistogram } from '../samples/picked-values.js';

export type CountMeasure = Extract<GateMeasure, { readonly kind: 'ratio' | 'slow' }>;
export type GaugeMeasure = Extract<GateMeasure, { readonly kind: 'stuck' | 'backlog' }>;

export function isCounted(measure: GateMeasure): measure is CountMeasure {
  return measure.kind === 'ratio' || measure.kind === 'slow';
}

/** The metrics to take from a page for this measure. */
export function wantedFor(measure: GateMeasure): readonly WantedMetric[] {
  switch (measure.kind) {
    case 'ratio':
      return [measure.bad, measure.total].map(({ name }) => ({ name, type: 'counter' }));
    case 'slow':
      return [{ name: measure.histogram.name, type: 'histogram' }];
    case 'stuck':
    case 'backlog':
      return [{ name: measure.gauge.name, type: 'gauge' }];
  }
}

/**
 * Whether a page has the series without which the measure says nothing. A manager that does not run the controller has none;
 * a contradiction counts as present, so that it is told and not passed over.
 */
export function isExposed(families: MetricFamilies, measure: GateMeasure): boolean {
  const series = meantSeries(measure);
  const family = families.get(series.name);
  switch (family?.kind) {
    case undefined:
    case 'absent':
      return false;
    case 'contradiction':
      return true;
    case 'series':
      return family.series.some(({ labels }) => hasLabels(labels, series));
    case 'histograms':
      return family.histograms.some(({ labels }) => hasLabels(labels, series));
  }
}

function meantSeries(measure: GateMeasure): MetricSeries {
  switch (measure.kind) {
    case 'ratio':
      return measure.total;
    case 'slow':
      return measure.histogram;
    case 'stuck':
    case 'backlog':
      return measure.gauge;
  }
}

function hasLabels(labels: ReadonlyMap<string, string>, meant: MetricSeries): boolean {
  return Object.entries(meant.labels).every(([name, value]) => labels.get(name) === value);
}

/** What a process has counted since its start. */
export function countsIn(
  families: MetricFamilies,
  measure: CountMeasure,
): Measurement<EventCounts> {
  if (measure.kind === 'slow') {
    const { name: metric, labels } = measure.histogram;
    return latencyCounts(pickedHistogram(families, { metric, labels }), measure.edgeSeconds);
  }
  // A counter with labels has no series before its first error.
  const bad = counted(families, measure.bad, 'none');
  const others = counted(families, measure.total, 'unmeasured');
  return ratioCounts(bad, measure.badInTotal ? others : addCounts(bad, others));
}

function counted(
  families: MetricFamilies,
  { name: metric, labels }: MetricSeries,
  absent: 'none' | 'unmeasured',
): Measurement<number> {
  return pickedCount(families, { metric, labels, several: 'sum', absent });
}

export function gaugeIn(families: MetricFamilies, { gauge }: GaugeMeasure): Measurement<number> {
  const value = pickedGauge(families, { metric: gauge.name, labels: gauge.labels });
  return value.kind === 'measured' && value.value < 0
    ? { kind: 'unmeasured', why: `${gauge.name} is ${value.value}, less than nothing` }
    : value;
}
