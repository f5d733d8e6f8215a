import { type Measurement, measured, unmeasured } from '../samples/measurement.js';

/** A selector of series in PromQL without range, offset or calculation: it can be narrowed to other labels, too. */
export interface SeriesSelector {
  readonly name: string;
  readonly matchers: readonly Matcher[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  /** As written, with its quotes. */
  readonly value: string;
}

const NAME = /^\s*([a-zA-Z_:][\w:]*)\s*(?:\{(.*)\})?\s*$/s;
const MATCHER =
  /\s*([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)\s*(?:,|$)/y;

/** The selector that a text is, or why it is none. Source: https://prometheus.io/docs/prometheus/latest/querying/basics/ */
export function selectorFrom(text: string): Measurement<SeriesSelector> {
  const [, name, inner = ''] = NAME.exec(text) ?? [];
  if (name === undefined) {
    return unmeasured('is no selector of series such as requests_total{code=~"5.."}');
  }
  const matchers = matchersIn(inner.trimEnd());
  if (matchers === null) return unmeasured('has labels that cannot be read');
  return matchers.some(({ label }) => label === '__name__')
    ? unmeasured('names its metric twice')
    : measured({ name, matchers });
}

function matchersIn(written: string): readonly Matcher[] | null {
  const matchers: Matcher[] = [];
  for (let at = 0; at < written.length; at = MATCHER.lastIndex) {
    MATCHER.lastIndex = at;
    const [found, label = '', operator = '', value = ''] = MATCHER.exec(written) ?? [];
    if (found === undefined) return null;
    matchers.push({ label, operator, value });
  }
  return matchers;
}

/** The selector with other labels besides its own. */
export function narrowed(
  { name, matchers }: SeriesSelector,
  others: readonly Matcher[],
): SeriesSelector {
  return { name, matchers: [...matchers, ...others] };
}

export function selectorText({ name, matchers }: SeriesSelector): string {
  const written = matchers.map(({ label, operator, value }) => `${label}${operator}${value}`);
  return written.length === 0 ? name : `${name}{${written.join(',')}}`;
}

/** Labels that all series of a cluster have, and no others. */
export type ClusterMatch = Readonly<Record<string, string>>;

/**
 * Matchers for these clusters together, each value taken literally. What they select may be more than was meant where several
 * labels tell clusters apart.
 */
export function matchersOf(matches: readonly ClusterMatch[]): readonly Matcher[] {
  const labels = [...new Set(matches.flatMap((match) => Object.keys(match)))].sort();
  return labels.map((label) => {
    const values = matches.map((match) => match[label] ?? '');
    return { label, operator: '=~', value: literally(values) };
  });
}

/** Anchored, as all expressions in PromQL are. */
function literally(values: readonly string[]): string {
  const escaped = [...new Set(values)].sort().map((value) =>
    // Of the expression first, then of the text that holds it.
    value.replace(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`).replace(/[\\"]/g, String.raw`\$&`),
  );
  return `"${escaped.join('|').replaceAll('\n', String.raw`\n`)}"`;
}
