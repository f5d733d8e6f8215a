import type { RunAccount } from '../../../config/outputs/account-document.js';
import type { AuditCheck } from '../audit-check.js';
import type { Theme } from '../../terminal/theme.js';
import { counted, shownDuration, shownText, wrapped } from '../../terminal/wording.js';
import {
  type AccountEntry,
  type BelowLine,
  changeLines,
  eventEntry,
  knownText,
  requestEntry,
  stepEntry,
} from './account-lines.js';

/** How an account is shown. */
export interface AccountLayout {
  readonly theme: Theme;
  /** Columns of the screen; infinite without one. */
  readonly width: number;
  /** As in `ChangeLayout`. */
  readonly full: boolean;
}

/** A run from its request to its end, in order of time, for people. */
export function accountText(
  account: RunAccount,
  checks: readonly AuditCheck[],
  layout: AccountLayout,
): readonly string[] {
  const { theme, full, width } = layout;
  const { requests, steps, events, unplaced, unread } = account;
  const changes = { theme, full, width: width - INDENT, seen: new Map<string, string>() };
  const entries = [
    ...requests.map(requestEntry),
    ...steps.map((step) => stepEntry(step, changes)),
    ...events.map(eventEntry),
  ];
  return [
    headline(account, theme),
    ...headRows(account, checks, layout),
    '',
    theme.paint('strong', 'What happened, in UTC'),
    theme.paint(
      'quiet',
      'Objects and files before → after by their digests; diffs are shown without secrets.',
    ),
    ...chronology(entries, layout),
    ...(unplaced.length === 0
      ? []
      : [
          '',
          theme.paint('strong', 'Changes that the history gives to no step'),
          ...changeLines(unplaced, { ...changes, width }).map(unindented),
        ]),
    ...unread.map((each) => `${theme.mark('warning')} ${each}`),
  ];
}

const OUTCOMES: Readonly<Record<string, Parameters<Theme['mark']>[0]>> = {
  ...{ done: 'ok', rolledBack: 'ok', open: 'running', stopped: 'held' },
};

function headline(
  { cluster, outcome, target, startedAt, endedAt }: RunAccount,
  theme: Theme,
): string {
  const mark = theme.mark(OUTCOMES[outcome] ?? 'failed');
  const toward = target === '' ? '' : `, begun toward ${target.toUpperCase()}`;
  const took = Date.parse(endedAt) - Date.parse(startedAt);
  const time = Number.isNaN(took) ? '' : ` · ${shownDuration(took)}`;
  const said = shownText(`${outcome === '' ? 'no end' : outcome}${toward}`);
  const name = theme.paint('strong', shownText(cluster));
  return `${name}  ${mark} ${said} · ${clockOf(startedAt, 'whole')}${time}`;
}

/** What was proven comes first: it says what the rest is worth. */
function headRows(
  account: RunAccount,
  checks: readonly AuditCheck[],
  { theme, width }: AccountLayout,
): readonly string[] {
  const [start] = account.requests;
  const { workflowId, runId, fleet, ticket, plan, policy, builds, file } = account;
  const rows: readonly (readonly [name: string, text: string])[] = [
    ['Proof', proofText(checks, theme)],
    ['Asked by', shownText(start?.actor ?? '')],
    ['Known', start === undefined ? '' : knownText(start.known)],
    ['Why', shownText(start?.reason ?? '')],
    ['Ticket', shownText(ticket)],
    ['Fleet', shownText(fleet)],
    ['Ended', shownText(account.summary)],
    ['Cluster', shownText(account.clusterState)],
    ['Plan', shownText(plan)],
    ['Policy', shownText(policy)],
    ['Build', shownText(builds.join(', '))],
    ['Run', shownText(`${workflowId} ${runId}`)],
    ['Export', shownText(file)],
  ];
  return rows.flatMap(([name, text]) =>
    text === '' ? [] : hanging(name.padEnd(NAME_WIDTH), text, { at: NAME_WIDTH, width }),
  );
}

const NAME_WIDTH = 'Asked by'.length + 2;

function proofText(checks: readonly AuditCheck[], theme: Theme): string {
  const named = (result: AuditCheck['result']): readonly string[] =>
    checks.filter((each) => each.result === result).map(({ check }) => check);
  const [failed, unproven] = [named('fail'), named('unproven')];
  const all = counted(checks.length, 'check');
  if (failed.length > 0)
    return `${theme.mark('failed')} ${String(failed.length)} of ${all} fail: ${failed.join(', ')}. Believe nothing below`;
  if (unproven.length > 0)
    return `${theme.mark('waiting')} ${String(unproven.length)} of ${all} prove nothing: ${unproven.join(', ')}`;
  return `${theme.mark('ok')} all of ${all} pass`;
}

/** Entries of one day below its date; entries of equal times as they are given. */
function chronology(
  entries: readonly AccountEntry[],
  { theme, width }: AccountLayout,
): readonly string[] {
  const sorted = [...entries].sort((one, other) => timeOfEntry(one) - timeOfEntry(other));
  let day = '';
  return sorted.flatMap(({ at, mark, title, below }) => {
    const today = clockOf(at, 'day');
    const isNew = today !== day;
    day = today;
    return [
      ...(isNew ? [theme.paint('quiet', today)] : []),
      ...hanging(`${clockOf(at, 'time')}  ${theme.mark(mark)} `, title, { at: INDENT, width }),
      ...below.flatMap((line) =>
        typeof line === 'string' ? indented(line, width) : [' '.repeat(INDENT + 2) + line.diff],
      ),
    ];
  });
}

/** What has no time comes last, where it is seen. */
function timeOfEntry({ at }: AccountEntry): number {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : ms;
}

const NO_TIME = { day: 'no time', time: '        ', whole: 'no time' } as const;

function clockOf(at: string, part: keyof typeof NO_TIME): string {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return NO_TIME[part];
  const text = new Date(ms).toISOString();
  const [day, time] = [text.slice(0, 10), text.slice(11, 19)];
  return { day, time, whole: `${day} ${time}Z` }[part];
}

/** Columns of a time and a mark. */
const INDENT = 12;

function unindented(line: BelowLine): string {
  return typeof line === 'string' ? line : `  ${line.diff}`;
}

/** A line below another, continued at its own indentation. */
function indented(line: string, width: number): readonly string[] {
  const text = line.trimStart();
  const at = INDENT + line.length - text.length;
  return hanging(' '.repeat(at), text, { at, width });
}

/** A text behind its name, continued below itself. */
function hanging(
  name: string,
  text: string,
  { at, width }: { readonly at: number; readonly width: number },
): readonly string[] {
  const lines = wrapped(text, width - at);
  return lines.map((line, index) => (index === 0 ? name : ' '.repeat(at)) + line);
}
