import type { CatalogueGate, GateMeasure, MetricSeries } from './catalogue-gate.js';

/** A series as PromQL selects it. */
function selectorOf({ name, labels }: MetricSeries): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}

/** What is counted or read, as a formula over the series. */
export function formulaOf(measure: GateMeasure): string {
  switch (measure.kind) {
    case 'ratio': {
      const [bad, total] = [selectorOf(measure.bad), selectorOf(measure.total)];
      return measure.badInTotal ? `${bad} / ${total}` : `${bad} / (${bad} + ${total})`;
    }
    case 'slow': {
      const { name, labels } = measure.histogram;
      const within = {
        name: `${name}_bucket`,
        labels: { ...labels, le: String(measure.edgeSeconds) },
      };
      return `1 - ${selectorOf(within)} / ${selectorOf({ name: `${name}_count`, labels })}`;
    }
    case 'stuck':
    case 'backlog':
      return selectorOf(measure.gauge);
  }
}

/** When it fails. */
export function limitText({ measure, comparable }: CatalogueGate): string {
  switch (measure.kind) {
    case 'ratio':
    case 'slow': {
      const most = `above ${String(measure.limit * 100)} %`;
      return comparable ? `${most}, or clearly above what was usual with the KCM` : most;
    }
    case 'stuck': {
      const above = `above ${String(measure.limitSeconds)} s`;
      return measure.decidedBy === null ? above : `${above}, and so is one piece of it`;
    }
    case 'backlog':
      return 'does not fall after the first full resync';
  }
}
