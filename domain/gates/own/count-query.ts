import type { OwnCountGate } from '../../policy.js';
import type { Measurement } from '../samples/measurement.js';
import { joinedParts } from './query-parts.js';
import {
  type ClusterMatch,
  type Matcher,
  matchersOf,
  narrowed,
  selectorFrom,
  type SeriesSelector,
  selectorText,
} from './series-selector.js';

/**
 * What an answer says of each target: events and the part of them that was picked (`bad` of a ratio, `within` of a histogram), when
 * their series were scraped, and when the process started. `down`: targets of the same jobs that cannot be scraped now. `label…`: how
 * many series have the label by which events are bad.
 */
export type CountPart =
  | 'total'
  | 'picked'
  | 'totalFirst'
  | 'totalLast'
  | 'pickedFirst'
  | 'pickedLast'
  | 'totalSeries'
  | 'pickedSeries'
  | 'started'
  | 'down';

/** What Prometheus calls a scraped target. Source: https://prometheus.io/docs/concepts/jobs_instances/ */
export const TARGET_LABELS = ['job', 'instance'] as const;

/** Series that count all events, and those of them that the gate asks for. */
export interface CountSelectors {
  readonly total: SeriesSelector;
  readonly picked: SeriesSelector;
  readonly pickedAre: 'bad' | 'good';
  /** Labels that tell bad events from others of the same metric: where no series has one, it is misspelt. */
  readonly telling: readonly string[];
}

/** The series of a gate, or why a text is none; configuration refuses that. */
export function countSelectors(gate: OwnCountGate): Measurement<CountSelectors> {
  if (gate.kind === 'quantile') return histogramSelectors(gate.histogram, gate.limit);
  const [bad, total] = [selectorFrom(gate.bad), selectorFrom(gate.total)];
  if (bad.kind === 'unmeasured') return bad;
  if (total.kind === 'unmeasured') return total;
  const isPart = bad.value.name === total.value.name;
  const isShared = ({ label, value }: Matcher): boolean =>
    total.value.matchers.some((each) => each.label === label && each.value === value);
  const own = bad.value.matchers.filter((matcher) => !isShared(matcher));
  const telling = isPart ? own.map(({ label }) => label) : [];
  return {
    kind: 'measured',
    value: {
      ...{ total: total.value, picked: bad.value, pickedAre: 'bad' },
      telling: [...new Set(telling)].sort(),
    },
  };
}

/** Whether bad events are told from others at all. */
export function tellsBadEvents({ total, picked, telling }: CountSelectors): boolean {
  return total.name !== picked.name || telling.length > 0;
}

function histogramSelectors(histogram: string, edge: number): Measurement<CountSelectors> {
  const found = selectorFrom(histogram);
  if (found.kind === 'unmeasured') return found;
  const { name, matchers } = found.value;
  const within = { label: 'le', operator: '=~', value: `"${edgeTexts(edge).join('|')}"` };
  return {
    kind: 'measured',
    value: {
      total: { name: `${name}_count`, matchers },
      picked: narrowed({ name: `${name}_bucket`, matchers }, [within]),
      pickedAre: 'good',
      telling: [],
    },
  };
}

/**
 * An edge as exporters and servers write it: `5` and `5.0` (OpenMetrics), and `2e+06` from a million on.
 * Source: github.com/prometheus/common expfmt, writeFloat; strconv.FormatFloat with `g`
 */
function edgeTexts(edge: number): readonly string[] {
  const plain = String(edge);
  const large = edge >= 1e6 ? [edge.toExponential().replace(/\+(\d)$/, '+0$1')] : [];
  const whole = Number.isInteger(edge) ? [`${plain}.0`] : [];
  return [plain, ...whole, ...large].map((text) => text.replace(/[.+]/g, String.raw`\\$&`));
}

/**
 * What every process of these clusters has counted at its last scrape. Sums are over the series of one process alone, which share
 * the time of its scrape; a sum over several processes could not be told from one that was restarted.
 */
export function countQuery(
  { total, picked, pickedAre, telling }: CountSelectors,
  matches: readonly ClusterMatch[],
): string {
  const clusters = matchersOf(matches);
  const of = (selector: SeriesSelector, ...others: readonly Matcher[]): string =>
    selectorText(narrowed(selector, [...clusters, ...others]));
  const all = clusters.map(({ label }) => label);
  const by = listed([...all, ...TARGET_LABELS]);
  const [events, some] = [of(total), of(picked)];
  const bare = (name: string): SeriesSelector => ({ name, matchers: [] });
  const parts: readonly (readonly [CountPart, string])[] = [
    ['total', `sum by ${by} (${events})`],
    ['picked', `sum by ${by} (${some})`],
    ['totalFirst', `min by ${by} (timestamp(${events}))`],
    ['totalLast', `max by ${by} (timestamp(${events}))`],
    ['pickedFirst', `min by ${by} (timestamp(${some}))`],
    ['pickedLast', `max by ${by} (timestamp(${some}))`],
    ['started', `${of(bare('process_start_time_seconds'))} and on ${by} ${events}`],
    ['down', `(${of(bare('up'))} == 0) and on ${listed([...all, 'job'])} ${events}`],
  ];
  const series: typeof parts = [
    ['totalSeries', `count by ${by} (${events})`],
    ['pickedSeries', `count by ${by} (${some})`],
  ];
  const labels = telling.map((label): readonly [string, string] => {
    const having = of(total, { label, operator: '!=', value: '""' });
    return [tellingPart(label), `count by ${listed(all)} (${having})`];
  });
  return joinedParts([...parts, ...(pickedAre === 'good' ? series : []), ...labels]);
}

export function tellingPart(label: string): string {
  return `label:${label}`;
}

function listed(labels: readonly string[]): string {
  return `(${[...new Set(labels)].sort().join(', ')})`;
}
