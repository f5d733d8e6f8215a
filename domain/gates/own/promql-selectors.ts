/** The series that an expression is calculated from, or why it cannot be read. */
export type Selectors =
  | { readonly kind: 'found'; readonly selectors: readonly string[] }
  | { readonly kind: 'refused'; readonly why: string };

interface Token {
  readonly kind: 'name' | 'other';
  readonly text: string;
  readonly index: number;
  /** Where it begins in the expression. */
  readonly at: number;
}

/**
 * Each instant selector of an expression in PromQL, once, without range and offset: the scrapes of these series date the result.
 * Only what can tell selectors from the rest is read; the server checks the grammar. An expression whose brackets or quotes
 * do not match is refused, as it could not stand inside another one.
 * Source: https://prometheus.io/docs/prometheus/latest/querying/basics/
 */
export function selectorsIn(promql: string): Selectors {
  const tokens = tokensOf(promql);
  if (tokens === null) return { kind: 'refused', why: 'has a text that does not end' };
  const closings = closingsOf(tokens);
  if (closings === null) return { kind: 'refused', why: 'has brackets that do not match' };
  const found = new Set<string>();
  let last = -1;
  for (const [index, token] of tokens.entries()) {
    if (index <= last) continue;
    const part = partAt(token, index, { tokens, closings });
    if (part.isSelector) found.add(promql.slice(token.at, part.end.at + part.end.text.length));
    last = part.end.index;
  }
  return { kind: 'found', selectors: [...found] };
}

/** What begins at a token: a selector, or something of which the inside holds none, or no more than the token. */
interface Part {
  readonly isSelector: boolean;
  readonly end: Token;
}

interface Expression {
  readonly tokens: readonly Token[];
  /** By the index of an opening bracket. */
  readonly closings: ReadonlyMap<number, Token>;
}

function partAt(token: Token, index: number, { tokens, closings }: Expression): Part {
  const next = tokens[index + 1];
  if (token.kind === 'name') {
    const labels = next?.text === '{' ? closings.get(index + 1) : undefined;
    return isMetric(token, next)
      ? { isSelector: true, end: labels ?? token }
      : { isSelector: false, end: token };
  }
  const closing = closings.get(index) ?? token;
  if (token.text === '{') return { isSelector: true, end: closing };
  const isSkipped = token.text === '[' || isLabelList(token, tokens[index - 1]);
  return { isSelector: false, end: isSkipped ? closing : token };
}

/** Blanks and comments, texts, names, numbers and durations, and any other character. */
const TOKEN =
  /(\s+|#[^\n]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|([a-zA-Z_:][\w:]*)|(\d[\w.]*)|(.)/gs;

/** Null where a quote has no end. */
function tokensOf(promql: string): readonly Token[] | null {
  const tokens: Token[] = [];
  for (const match of promql.matchAll(TOKEN)) {
    const [text, blank, , name, , other] = match;
    if (other !== undefined && `"'\``.includes(other)) return null;
    if (blank !== undefined) continue;
    const kind = name === undefined ? 'other' : 'name';
    tokens.push({ kind, text, index: tokens.length, at: match.index });
  }
  return tokens;
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/** The bracket that closes each opening one; null where one has none. */
function closingsOf(tokens: readonly Token[]): ReadonlyMap<number, Token> | null {
  const closings = new Map<number, Token>();
  const open: { readonly index: number; readonly closing: string }[] = [];
  for (const token of tokens) {
    const closing = CLOSING.get(token.text);
    if (closing !== undefined) open.push({ index: token.index, closing });
    if (!')]}'.includes(token.text)) continue;
    const last = open.pop();
    if (last?.closing !== token.text) return null;
    closings.set(last.index, token);
  }
  return open.length === 0 ? closings : null;
}

/** Words before a list of labels. */
const BEFORE_LABELS = ['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'];
const WORDS = [...BEFORE_LABELS, 'and', 'or', 'unless', 'atan2', 'bool', 'offset', 'inf', 'nan'];
/** Between the name of an aggregation and its list of labels. */
const GROUPINGS = ['by', 'without'];

/** A name that is no word of the language, no function, and no aggregation such as `sum by (job) (up)`. */
function isMetric({ text }: Token, next: Token | undefined): boolean {
  const after = next?.text.toLowerCase() ?? '';
  return !WORDS.includes(text.toLowerCase()) && after !== '(' && !GROUPINGS.includes(after);
}

function isLabelList(token: Token | undefined, before: Token | undefined): boolean {
  return token?.text === '(' && BEFORE_LABELS.includes(before?.text.toLowerCase() ?? '');
}
