import type {
  AccountAnswer,
  AccountChange,
  AccountEvent,
  AccountKnown,
  AccountRequest,
  AccountStep,
} from '../../../config/outputs/account-document.js';
import { tableLines } from '../../terminal/aligned-table.js';
import type { Theme } from '../../terminal/theme.js';
import { diffLines, isWholeText } from '../../terminal/diff-text.js';
import { counted, shownDuration, shownText, stepTitle } from '../../terminal/wording.js';

/** What happened at one time: a line with its mark, and what belongs below it. */
export interface AccountEntry {
  readonly at: string;
  readonly mark: Parameters<Theme['mark']>[0];
  readonly title: string;
  readonly below: readonly BelowLine[];
}

/** A text that may be wrapped, or a line of a diff, which may not. */
export type BelowLine = string | { readonly diff: string };

/** How changes are shown. */
export interface ChangeLayout {
  readonly theme: Theme;
  /** Columns; infinite without a screen. */
  readonly width: number;
  /** Whether new and removed texts are shown whole, changes with the lines around them, and each as often as it was made. */
  readonly full: boolean;
  /** Diffs that were shown, with their object: nodes with the same change show it once. */
  readonly seen: Map<string, string>;
}

/** The first digits of a digest, enough to compare by eye. */
function firstDigits(digest: string): string {
  return shownText(digest.replace(/^sha256:/, '').slice(0, 12));
}

/**
 * A request, whose it is, and what was made of it. That its sender may ask for it does not say that the run did it: what came into
 * force is told by itself.
 */
export function requestEntry({
  at,
  verb,
  subject,
  actor,
  reason,
  ticket,
  known,
  verdict,
  detail,
  answer,
}: AccountRequest): AccountEntry {
  const what = [verb, subject].filter((each) => each !== '').join(' ');
  const by = actor === '' ? '' : ` by ${actor}`;
  const why = reason === '' ? '' : `: ${reason}`;
  const of = ticket === '' ? '' : ` (${ticket})`;
  return {
    ...{ at, mark: verdict === 'refused' || answer.state === 'refused' ? 'failed' : 'waiting' },
    title: shownText(`${what}${by}${why}${of}`),
    below: [
      knownText(known),
      ...(verdict === 'refused' ? [shownText(`refused: ${detail}`)] : answerLines(answer)),
    ],
  };
}

/** What was made of a request that its sender may make. */
function answerLines({ state, detail }: AccountAnswer): readonly string[] {
  const why = detail === '' ? '' : `: ${detail}`;
  switch (state) {
    case 'unsaid':
      return [];
    case 'applied':
      return [shownText(`taken${why} (as it says; not proven)`)];
    case 'refused':
      return [shownText(`not taken${why} (as it says; not proven)`)];
    case 'pending':
      return [shownText(`not taken when it was last on record${why} (as it says; not proven)`)];
  }
}

/** How it is known who asked, in a sentence. */
export function knownText({
  how,
  principal,
  role,
  key,
  server,
  client,
  doubt,
}: AccountKnown): string {
  const of = key === '' ? '' : ` with key ${firstDigits(key)}`;
  const told = {
    signed: `signed by ${principal}${of}`,
    forged: `NOT PROVEN: signed${of}, which proves nothing`,
    unchecked: `signed${of}, not checked without --trust${principal === '' ? '' : `; by the evidence of ${principal}`}`,
    stamped: `stamped by the server: ${server}`,
    claimed: client === '' ? 'claimed, not signed' : `claimed by ${client}, not signed`,
  }[how];
  const accepted = role === '' ? '' : `; allowed as ${role}`;
  const against = doubt === '' ? '' : `; BUT ${doubt}`;
  return shownText(`${told}${accepted}${against}`);
}

const WORTH_TELLING_MS = 1_000;

const STEP_MARKS = { done: 'ok', failed: 'failed', open: 'waiting' } as const;

/** A step with its changes. */
export function stepEntry(step: AccountStep, layout: ChangeLayout): AccountEntry {
  const { at, endedAt, epoch, why, outcome, detail, changes } = step;
  const took = Date.parse(endedAt) - Date.parse(at);
  const time = took >= WORTH_TELLING_MS ? ` in ${shownDuration(took)}` : '';
  const under = epoch === null || step.name !== 'takeFence' ? '' : `, epoch ${String(epoch)}`;
  const open = outcome === 'open' ? ', no end of it is known' : '';
  // What a step proved says of its changes what they say themselves.
  const isToldBelow = detail !== '' && (changes.length === 0 || outcome === 'failed');
  return {
    ...{ at, mark: STEP_MARKS[outcome] },
    title: shownText(`${stepTitle(step)}${under}${time}${open}${why === '' ? '' : `: ${why}`}`),
    below: [...(isToldBelow ? [shownText(detail)] : []), ...changeLines(changes, layout)],
  };
}

/**
 * Each change with its object, what it was before and after by their digests, and what the evidence shows of it; what was not
 * simply applied says so. In columns where all of them fit, otherwise with the digests below.
 */
export function changeLines(
  changes: readonly AccountChange[],
  layout: ChangeLayout,
): readonly BelowLine[] {
  const column = (cell: (change: AccountChange) => string) => ({
    title: '',
    cells: changes.map(cell),
  });
  const what = [column(({ verb }) => shownText(verb)), column(({ object }) => shownText(object))];
  const became = [column(digests), column(outcomeText)];
  const [, ...rows] = tableLines([...what, ...became], ALL_COLUMNS);
  const fits = rows.every((row) => row.length <= layout.width);
  const [, ...above] = tableLines(what, ALL_COLUMNS);
  return changes.flatMap((change, at) => [
    ...(fits
      ? [rows[at] ?? '']
      : [above[at] ?? '', ...below(digests(change), outcomeText(change))]),
    ...(change.proof === '' ? [] : below(shownText(`proof: ${change.proof}`))),
    ...shownDiff(change, layout),
  ]);
}

function shownDiff(
  { object, diff }: AccountChange,
  { theme, full, seen }: ChangeLayout,
): readonly BelowLine[] {
  if (diff === '') return [];
  const lines = diffLines(diff, theme, full).map((line) => ({ diff: line }));
  if (full) return lines;
  const before = seen.get(diff);
  if (before !== undefined) return below(`the same change as in ${before}`);
  seen.set(diff, shownText(object));
  if (!isWholeText(diff) || lines.length <= SHORT_TEXT) return lines;
  return below(`${counted(lines.length - 1, 'line')}; --full shows them`);
}

/** Lines of a new or removed text that are shown without being asked for. */
const SHORT_TEXT = 6;

const ALL_COLUMNS = { width: Infinity, always: Infinity };

function below(...parts: readonly string[]): readonly string[] {
  const told = parts.filter((part) => part !== '');
  return told.length === 0 ? [] : [`  ${told.join('  ')}`];
}

function digests({ before, after }: AccountChange): string {
  if (before === '' && after === '') return '';
  const shown = (digest: string): string => (digest === '' ? 'nothing' : firstDigits(digest));
  return `${shown(before)} → ${shown(after)}`;
}

function outcomeText({ outcome, detail }: AccountChange): string {
  if (outcome === 'applied') return '';
  return shownText(detail === '' ? OUTCOME_WORDS[outcome] : `${OUTCOME_WORDS[outcome]}: ${detail}`);
}

const OUTCOME_WORDS = {
  refused: 'REFUSED',
  foundApplied: 'found applied',
  foundNotApplied: 'found not applied',
  open: 'OUTCOME UNKNOWN',
} as const;

const EVENT_MARKS: Readonly<Record<AccountEvent['kind'], AccountEntry['mark']>> = {
  ...{ held: 'held', breach: 'held', blocked: 'held', waits: 'held', failed: 'failed' },
  ...{
    approved: 'ok',
    passed: 'ok',
    waived: 'warning',
    acknowledged: 'warning',
    turned: 'warning',
  },
};

/** Their detail is who it was, and why. */
const BY_PERSON: readonly AccountEvent['kind'][] = ['waived', 'acknowledged', 'turned'];

export function eventEntry(event: AccountEvent): AccountEntry {
  const { at, kind, detail } = event;
  const title =
    detail === ''
      ? eventWords(event)
      : `${eventWords(event)}${BY_PERSON.includes(kind) ? ' by' : ':'} ${detail}`;
  return { at, mark: EVENT_MARKS[kind], title: shownText(title), below: [] };
}

function eventWords({ kind, subject, code }: AccountEvent): string {
  const what = [subject, code === '' ? '' : `(${code})`].filter((each) => each !== '').join(' ');
  switch (kind) {
    case 'held':
      return `held by ${what}`;
    case 'breach':
      return `breach of ${what}`;
    case 'blocked':
      return `no safe step for ${what}`;
    case 'waits':
      return `waits for approval of ${what}`;
    case 'failed':
      return `${what} failed`;
    case 'approved':
      return `approval of ${what} is in force`;
    case 'waived':
      return `waiver of ${what} is in force`;
    case 'acknowledged':
      return `${what} acknowledged`;
    case 'passed':
      return `${what} passed`;
    case 'turned':
      return `turned to ${what.toUpperCase()}`;
  }
}
