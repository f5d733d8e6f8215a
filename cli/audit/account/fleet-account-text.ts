import type { FleetAccount } from '../../../config/outputs/account-document.js';
import { counted, shownDuration, shownText, someNames } from '../../terminal/wording.js';
import type { AuditCheck } from '../audit-check.js';
import { type AccountLayout, chronology, clockOf, namedRows, proofText } from './account-layout.js';
import { type AccountEntry, knownText, requestEntry } from './account-lines.js';

/** A fleet from its request to its end, in order of time, for people. */
export function fleetAccountText(
  account: FleetAccount,
  checks: readonly AuditCheck[],
  layout: AccountLayout,
): readonly string[] {
  const { theme } = layout;
  const { requests, starts, unread } = account;
  const entries = [...requests.map(requestEntry), ...starts.map(startEntry)];
  return [
    headline(account, layout),
    ...headRows(account, checks, layout),
    '',
    theme.paint('strong', 'What happened, in UTC'),
    theme.paint('quiet', 'What was done to its clusters is told by the exports of their runs.'),
    ...chronology(entries, layout),
    ...unread.map((each) => `${theme.mark('warning')} ${shownText(each)}`),
  ];
}

const MARKS = { done: 'ok', stopped: 'held', open: 'running' } as const;

function headline(
  { fleet, outcome, startedAt, endedAt }: FleetAccount,
  { theme }: AccountLayout,
): string {
  const known = Object.entries(MARKS).find(([word]) => word === outcome)?.[1] ?? 'failed';
  const took = Date.parse(endedAt) - Date.parse(startedAt);
  const time = Number.isNaN(took) ? '' : ` · ${shownDuration(took)}`;
  const name = theme.paint('strong', `fleet ${shownText(fleet)}`);
  const said = shownText(outcome === '' ? 'no end' : outcome);
  return `${name}  ${theme.mark(known)} ${said} · ${clockOf(startedAt, 'whole')}${time}`;
}

function headRows(
  account: FleetAccount,
  checks: readonly AuditCheck[],
  { theme, width }: AccountLayout,
): readonly string[] {
  const [start] = account.requests;
  const { workflowId, runId, ticket, plan, revision, file, counts, waves } = account;
  const revised = revision > 1 ? `, revision ${String(revision)}` : '';
  return namedRows(
    [
      ['Proof', proofText(checks, theme)],
      ['Asked by', shownText(start?.actor ?? '')],
      ['Known', start === undefined ? '' : knownText(start.known)],
      ['Why', shownText(start?.reason ?? '')],
      ['Ticket', shownText(ticket)],
      ['Ended', shownText(countsText(counts))],
      ['Waves', shownText(waves.map(waveText).join('; '))],
      ['Plan', shownText(plan === '' ? '' : `${plan}${revised}`)],
      ['Run', shownText(`${workflowId} ${runId}`)],
      ['Export', shownText(file)],
    ],
    width,
  );
}

function countsText(counts: FleetAccount['counts']): string {
  return Object.entries(counts)
    .map(([phase, count]) => `${String(count)} ${phase}`)
    .join(', ');
}

function waveText({
  name,
  clusters,
  demanded,
  firstStartAt,
}: FleetAccount['waves'][number]): string {
  const begun = firstStartAt === '' ? 'no start' : `begun ${clockOf(firstStartAt, 'time')}`;
  const after = demanded === 0 ? '' : `, after ${counted(demanded, 'approval')}`;
  return `${name} (${counted(clusters, 'cluster')}, ${begun}${after})`;
}

function startEntry({ at, wave, target, clusters }: FleetAccount['starts'][number]): AccountEntry {
  const of = wave === '' ? '' : ` of wave ${wave}`;
  const toward = target === 'ccm' ? '' : ` toward ${target.toUpperCase()}`;
  const title = `asked for ${counted(clusters.length, 'run')}${of}${toward}: ${someNames(clusters)}`;
  return { at, mark: 'ok', title: shownText(title), below: [] };
}
