import { parseSampleValue, type SampleLine } from './sample-line.js';
import { seriesKey } from './series-key.js';

export interface Bucket {
  /** Upper edge, in the unit of the metric; `Infinity` for the last. */
  readonly edge: number;
  /** Events at or below the edge. */
  readonly count: number;
}

/** A cumulative histogram whose parts agree with each other. */
export interface CumulativeHistogram {
  /** Without `le`. */
  readonly labels: ReadonlyMap<string, string>;
  /** By rising edge, at least the one at `Infinity`. */
  readonly buckets: readonly Bucket[];
  readonly count: number;
}

type Joined =
  | { readonly kind: 'histograms'; readonly histograms: readonly CumulativeHistogram[] }
  | { readonly kind: 'contradiction'; readonly why: string };

/** Whether a value can be the number of events counted so far. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

interface Parts {
  readonly labels: ReadonlyMap<string, string>;
  readonly buckets: Bucket[];
  count: number;
}

/**
 * Histograms from their `_bucket` and `_count` samples. Refused where the parts contradict each other: a count that falls
 * from one bucket to the next, or that differs from the bucket `+Inf` (both are cumulative over the same events), an edge
 * that is no number, or a part that is missing.
 */
export function joinHistograms(name: string, lines: readonly SampleLine[]): Joined {
  const all = new Map<string, Parts>();
  for (const line of lines) {
    const why = addPart(name, all, line);
    if (why !== null) return { kind: 'contradiction', why: `${name}: ${why}` };
  }
  const histograms = [...all.values()].map(({ labels, buckets, count }) => ({
    labels,
    buckets: buckets.toSorted((a, b) => a.edge - b.edge),
    count,
  }));
  const why = histograms.map(contradictionOf).find((found) => found !== null) ?? null;
  return why === null
    ? { kind: 'histograms', histograms }
    : { kind: 'contradiction', why: `${name}: ${why}` };
}

function addPart(name: string, all: Map<string, Parts>, line: SampleLine): string | null {
  const isBucket = line.name === `${name}_bucket`;
  const written = line.labels.get('le');
  if (isBucket !== (written !== undefined)) {
    return isBucket ? 'a bucket has no edge' : 'its count has an edge';
  }
  if (!isCount(line.value)) return `${line.name} is ${line.value}, which counts no events`;
  const labels = new Map([...line.labels].filter(([label]) => label !== 'le'));
  const key = seriesKey(labels);
  const parts = all.get(key) ?? { labels, buckets: [], count: Number.NaN };
  all.set(key, parts);
  if (written === undefined) {
    parts.count = line.value;
    return null;
  }
  const edge = parseSampleValue(written);
  if (edge === null || Number.isNaN(edge)) return 'a bucket has an edge that is not a number';
  parts.buckets.push({ edge, count: line.value });
  return null;
}

function contradictionOf({ buckets, count }: CumulativeHistogram): string | null {
  const last = buckets.at(-1);
  if (last?.edge !== Infinity) return 'it has no bucket +Inf';
  if (Number.isNaN(count)) return 'it has no count';
  if (last.count !== count) return `its bucket +Inf has ${last.count} events, its count ${count}`;
  const falls = buckets.some(({ edge, count: events }, index) => {
    const before = buckets[index - 1];
    return before !== undefined && (events < before.count || edge === before.edge);
  });
  return falls ? 'its buckets are not cumulative' : null;
}
