/** One value of one series, as a page or a time series database gives it. */
export interface SampleLine {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  /** May be NaN or infinite: `picked-values.ts` refuses those. */
  readonly value: number;
  /** When the exporter says it was true, in milliseconds of Unix time; null where it says nothing. */
  readonly atMs: number | null;
}

export type ParsedLine =
  | { readonly kind: 'sample'; readonly line: SampleLine }
  | { readonly kind: 'malformed'; readonly why: string };

const NAME = /[a-zA-Z_:][\w:]*/y;
const LABEL = /[ \t]*([a-zA-Z_]\w*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(,|(?=\}))/y;
const CLOSING = /[ \t]*\}/y;
/** A value and its timestamp; anything else behind the value (an exemplar, a second value) does not match. */
const VALUE = /[ \t]*(?<=[} \t])(\S+)(?:[ \t]+(-?\d{1,16}))?[ \t]*$/y;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const SPECIAL: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Inf: Infinity,
  '+Inf': Infinity,
  '-Inf': -Infinity,
};

/** More labels than any metric of Kubernetes has, with those that a target gets from its discovery. */
const MOST_LABELS = 64;

/**
 * A number as Prometheus writes it: decimal, `NaN`, `+Inf` or `-Inf`; null for everything else. A decimal number too large
 * for a double is refused: it would become an infinity that is not in the text.
 */
export function parseSampleValue(written: string): number | null {
  const special = SPECIAL[written];
  if (special !== undefined) return special;
  const value = NUMBER.test(written) ? Number(written) : Infinity;
  return Number.isFinite(value) ? value : null;
}

/**
 * One line of the text exposition format that carries a sample.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-format-details
 */
export function parseSampleLine(text: string): ParsedLine {
  const name = matchAt(NAME, text, 0)?.[0] ?? '';
  if (name === '') return malformed('no metric name');
  const read = readLabels(text, name.length);
  if (read.kind === 'malformed') return read;
  const found = matchAt(VALUE, text, read.end);
  if (found === null) return malformed('no value, or text behind it');
  const value = parseSampleValue(String(found[1]));
  if (value === null) return malformed('its value is not a number');
  const atMs = found[2] === undefined ? null : Number(found[2]);
  return { kind: 'sample', line: { name, labels: read.labels, value, atMs } };
}

type Labels =
  | {
      readonly kind: 'labels';
      readonly labels: ReadonlyMap<string, string>;
      /** Position behind them. */
      readonly end: number;
    }
  | { readonly kind: 'malformed'; readonly why: string };

function readLabels(text: string, from: number): Labels {
  const labels = new Map<string, string>();
  if (text[from] !== '{') return { kind: 'labels', labels, end: from };
  let at = from + 1;
  for (let pair = matchAt(LABEL, text, at); pair !== null; pair = matchAt(LABEL, text, at)) {
    const label = String(pair[1]);
    const value = unescaped(String(pair[2]));
    if (value === null) return malformed(`label ${label} has an unknown escape`);
    if (labels.has(label)) return malformed(`label ${label} occurs twice`);
    if (labels.size === MOST_LABELS) return malformed(`more than ${MOST_LABELS} labels`);
    labels.set(label, value);
    at += pair[0].length;
  }
  const closing = matchAt(CLOSING, text, at);
  if (closing === null) return malformed('its labels cannot be read');
  return { kind: 'labels', labels, end: at + closing[0].length };
}

/** Null where a backslash stands before anything but itself, a quote or `n`. */
function unescaped(text: string): string | null {
  if (!text.includes('\\')) return text;
  if (/\\[^\\n"]/.test(text.replaceAll('\\\\', ''))) return null;
  return text.replace(/\\([\\n"])/g, (_whole, escape: string) => (escape === 'n' ? '\n' : escape));
}

function malformed(why: string): { readonly kind: 'malformed'; readonly why: string } {
  return { kind: 'malformed', why };
}

/** Sticky expressions keep a position; it is set for each use. */
function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}
