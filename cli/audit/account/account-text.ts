import type { RunAccount } from '../../../config/outputs/account-document.js';
import type { AuditCheck } from '../audit-check.js';
import type { Theme } from '../../terminal/theme.js';
import { shownDuration, shownText } from '../../terminal/wording.js';
import {
  type AccountLayout,
  chronology,
  clockOf,
  INDENT,
  namedRows,
  proofText,
} from './account-layout.js';
import {
  type BelowLine,
  changeLines,
  eventEntry,
  knownText,
  requestEntry,
  stepEntry,
} from './account-lines.js';

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
  const { workflowId, runId, fleet, ticket, plan, policy, builds, accessPolicies, file } = account;
  const rows: readonly (readonly [name: string, text: string])[] = [
    ['Proof', proofText(checks, theme)],
    ['Asked by', shownText(start?.actor ?? '')],
    ['Known', start === undefined ? '' : knownText(start.known)],
    ['Why', shownText(start?.reason ?? '')],
    ['Ticket', shownText(ticket)],
    ['Fleet', shownText(fleet)],
    ['Ended', ownWords(account.summary)],
    ['Cluster', ownWords(account.clusterState)],
    ['Plan', shownText(plan)],
    ['Policy', shownText(policy)],
    ['Access', shownText(accessPolicies.join(', '))],
    ['Build', shownText(builds.join(', '))],
    ['Run', shownText(`${workflowId} ${runId}`)],
    ['Export', shownText(file)],
  ];
  return namedRows(rows, width);
}

/** Only kind and evidence of an outcome are held against anything: no one signs its texts. */
function ownWords(text: string): string {
  return text === '' ? '' : `${shownText(text)} (as it says; not proven)`;
}

function unindented(line: BelowLine): string {
  return typeof line === 'string' ? line : `  ${line.diff}`;
}
