import { type SampleLine, parseSampleLine } from './sample-line.js';
import {
  type MetricFamilies,
  type WantedMetric,
  collectFamilies,
  sampleNames,
} from './metric-families.js';

/** The wanted metrics of a page, or why it was not read at all. */
export type ExpositionPage =
  | {
      readonly kind: 'page';
      readonly families: MetricFamilies;
      /** Explicit timestamps of the wanted samples, each once; usually none. */
      readonly timestamps: readonly number[];
    }
  | { readonly kind: 'refused'; readonly why: string };

/** Characters of the largest page. A kube-controller-manager with 10,000 Nodes serves about 3 MiB. */
export const MOST_PAGE_CHARACTERS = 8 * 1024 * 1024;
/** Lines of the largest page: skipping so many takes about 20 ms. */
const MOST_LINES = 200_000;
/** Of a line that is wanted; longer ones that are not are passed over. */
const LONGEST_LINE = 8 * 1024;
/** Samples that are wanted. A histogram of cloud calls has about 700. */
const MOST_SAMPLES = 5_000;

/**
 * Reads only the wanted metrics of a page in the Prometheus text exposition format: a page has thousands of other lines,
 * and any of them may be wrong or very long. A line that is wanted and cannot be read, or a type that is not the expected
 * one, is a contradiction of its metric; a page out of bounds, or one that was cut off, is refused as a whole.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function parseExposition(text: string, wanted: readonly WantedMetric[]): ExpositionPage {
  if (text.length > MOST_PAGE_CHARACTERS) {
    return refused(`the page is longer than ${MOST_PAGE_CHARACTERS} characters`);
  }
  if (text !== '' && !text.endsWith('\n')) return refused('the page ends within a line');
  const found: Found = { lines: [], problems: new Map(), typed: new Set() };
  const names = sampleNames(wanted);
  const types = new Map(wanted.map((metric) => [metric.name, metric]));
  const candidates = byFirstCharacter(names);
  let count = 0;
  for (let at = 0; at < text.length; count += 1) {
    if (count === MOST_LINES) return refused(`the page has more than ${MOST_LINES} lines`);
    const end = text.indexOf('\n', at);
    const begin = text.charCodeAt(at);
    const named = candidates.get(begin);
    if (begin === HASH) readType(text, { at, end }, types, found);
    else if (named !== undefined) readSample(text, { at, end }, named, found);
    if (found.lines.length > MOST_SAMPLES) {
      return refused(`the page has more than ${MOST_SAMPLES} of the wanted samples`);
    }
    at = end + 1;
  }
  const { lines, problems } = found;
  const times = new Set(lines.map(({ atMs }) => atMs).filter((atMs) => atMs !== null));
  return {
    kind: 'page',
    families: collectFamilies(lines, wanted, problems),
    timestamps: [...times],
  };
}

interface Found {
  readonly lines: SampleLine[];
  /** By metric. */
  readonly problems: Map<string, string>;
  readonly typed: Set<string>;
}

interface Extent {
  readonly at: number;
  readonly end: number;
}

const HASH = 0x23;
/** Written so by every exporter; other comments, help among them, say nothing that counts. */
const TYPE = '# TYPE ';

function readType(
  text: string,
  { at, end }: Extent,
  types: ReadonlyMap<string, WantedMetric>,
  found: Found,
): void {
  if (!text.startsWith(TYPE, at)) return;
  const line = text.slice(at + TYPE.length, Math.min(end, at + LONGEST_LINE));
  const name = line.split(' ', 1).join('');
  const type = line.slice(name.length + 1);
  const metric = types.get(name);
  if (metric === undefined) return;
  if (found.typed.has(name)) found.problems.set(name, `${name} has two types`);
  found.typed.add(name);
  if (type !== metric.type && type !== 'untyped') {
    found.problems.set(name, `${name} is not a ${metric.type} but a ${type.slice(0, 20)}`);
  }
}

/** A name with what it belongs to. */
type Named = readonly [name: string, metric: WantedMetric];

/** Most lines are passed over by their first character. */
function byFirstCharacter(
  names: ReadonlyMap<string, WantedMetric>,
): ReadonlyMap<number, readonly Named[]> {
  const all = new Map<number, Named[]>();
  for (const named of names) {
    const first = named[0].charCodeAt(0);
    all.set(first, [...(all.get(first) ?? []), named]);
  }
  return all;
}

/** Brace, blank, tab and line end. */
const BEHIND_NAME: readonly number[] = [0x7b, 0x20, 0x09, 0x0a];

function readSample(
  text: string,
  { at, end }: Extent,
  candidates: readonly Named[],
  found: Found,
): void {
  const named = candidates.find(
    ([name]) =>
      text.startsWith(name, at) && BEHIND_NAME.includes(text.charCodeAt(at + name.length)),
  );
  if (named === undefined) return;
  const [, metric] = named;
  if (end - at > LONGEST_LINE) {
    found.problems.set(metric.name, `${metric.name} has a line of ${end - at} characters`);
    return;
  }
  const parsed = parseSampleLine(text.slice(at, end));
  if (parsed.kind === 'sample') found.lines.push(parsed.line);
  else found.problems.set(metric.name, `${metric.name} has a malformed line: ${parsed.why}`);
}

function refused(why: string): ExpositionPage {
  return { kind: 'refused', why };
}
