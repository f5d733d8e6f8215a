import { noteLines } from '../../domain/gates/quiet-notes.js';
import type { OwnershipFigures } from '../../domain/ownership/ownership-trace.js';
import type { Owner } from '../../domain/vocabulary.js';
import type { ClusterStatus } from '../../workflows/messages.js';
import type { RunView } from '../runs/run-view.js';
import type { Theme } from '../terminal/theme.js';
import { counted, shownDuration, stepTitle, wrapped } from '../terminal/wording.js';
import { typable } from './typable.js';

export type HeaderRow = readonly [name: string, text: string];

export interface HeaderInput {
  readonly view: RunView;
  /** The last known status. */
  readonly status: ClusterStatus | null;
  readonly nowMs: number;
  readonly extra: readonly HeaderRow[];
  /** The flags that named the server, for commands to type next. */
  readonly server?: readonly string[];
  /** Also what each step did, according to its proof. */
  readonly detailed?: boolean;
  /** Columns of the screen; absent when output does not go to one. */
  readonly width?: number;
}

/** A run's header, its state first; rows wider than the screen continue below in their own column. */
export function header(input: HeaderInput, theme: Theme): readonly string[] {
  const { view, status, nowMs, extra } = input;
  const rows: readonly HeaderRow[] = [
    ...(status === null ? [] : statusRows(status)),
    ...leaderRows(input),
    ...outageRows(view, nowMs),
    ...guardRows(view, nowMs),
    ...(status === null || view.outcome !== null ? [] : waitRows(status, input)),
    ...outcomeRows(input),
    ...noteRows(input),
    ...extra,
    ['Run', runText(view)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 1;
  return [
    `${theme.paint('strong', view.cluster)}  ${headline(view, theme, nowMs)}`,
    ...rows.flatMap(([name, text]) =>
      wrapped(text, (input.width ?? Infinity) - width - 1).map(
        (line, index) => `${(index === 0 ? `${name}:` : '').padEnd(width)} ${line}`,
      ),
    ),
  ];
}

function statusRows(status: ClusterStatus): readonly HeaderRow[] {
  const { target, requestedBy, phase, step, nextStep, stepsDone } = status;
  const done = `${counted(stepsDone.length, 'step')} done`;
  const going = step === null ? null : stepTitle(step);
  const coming = nextStep === null ? '' : `, next ${stepTitle(nextStep)}`;
  const asked =
    requestedBy.reason === '' ? requestedBy.actor : `${requestedBy.actor}: ${requestedBy.reason}`;
  return [
    ['Target', `${target.toUpperCase()} · requested by ${asked}`],
    ['Phase', `${phase} · ${going ?? `no step under way${coming}`} · ${done}`],
  ];
}

/** The leader is shown with its age; nothing is claimed about a time without observations. */
function leaderRows({ view, status, nowMs }: HeaderInput): readonly HeaderRow[] {
  const { contact, outcome } = view;
  if (outcome !== null) {
    return outcome.guard === null
      ? []
      : [['Leader', `${figures(outcome.guard)}, measured by the guard`]];
  }
  if (contact === null) return [];
  const { seen, outage } = contact;
  if (seen === null) {
    const owner = status?.owner ?? 'unknown';
    const known = owner === 'unknown' ? 'not known yet' : ownerText(owner, []);
    return [['Leader', `${known} · before the guard's first observation`]];
  }
  const age = shownDuration(nowMs - seen.atMs);
  const who = ownerText(seen.owner, seen.nodes);
  const now =
    outage === null
      ? `${who}, seen ${age} ago`
      : `not known since ${clock(seen.atMs)} (${age}); then ${who}`;
  return [['Leader', `${now} · ${figures(seen.ownership)}`]];
}

const OWNERS: Readonly<Record<Owner, string>> = {
  kcm: 'KCM',
  ccm: 'CCM',
  none: 'none',
  both: 'KCM and CCM at once',
  unknown: 'not known',
};

export function ownerText(owner: Owner, nodes: readonly string[]): string {
  return nodes.length === 0 ? OWNERS[owner] : `${OWNERS[owner]} on ${nodes.join(', ')}`;
}

/** The guard's figures; unobserved time appears only where there was some. */
export function figures(seen: OwnershipFigures): string {
  const { overlapSeconds, orphanSeconds, unknownSeconds, moves } = seen;
  const unknown =
    unknownSeconds > 0 ? `, not known for ${shownDuration(unknownSeconds * 1000)}` : '';
  return (
    `${counted(moves, 'move')}, two leaders for ${shownDuration(overlapSeconds * 1000)}, ` +
    `none for ${shownDuration(orphanSeconds * 1000)}${unknown}`
  );
}

function outageRows({ contact }: RunView, nowMs: number): readonly HeaderRow[] {
  if (contact === null) return [];
  const { outage, seen } = contact;
  const away = seen?.away ?? [];
  const nodes: readonly HeaderRow[] =
    away.length > 0 && outage === null ? [['Nodes', `no answer from ${away.join(', ')}`]] : [];
  if (outage === null) return nodes;
  const { sinceMs, attempts, error, nextTryAtMs } = outage;
  const next =
    nextTryAtMs === null || nextTryAtMs <= nowMs
      ? ''
      : `, next in ${shownDuration(nextTryAtMs - nowMs)}`;
  const since = `since ${clock(sinceMs)} (${shownDuration(nowMs - sinceMs)})`;
  const tried = attempts === 1 ? '1 try' : `${String(attempts)} tries`;
  return [['Cluster', `unreachable ${since}, ${tried}${next}: ${error}`]];
}

/** Nothing is wrong with the run: it is the next one, or one of the next, that a worker takes. */
function guardRows({ status, contact }: RunView, nowMs: number): readonly HeaderRow[] {
  const sinceMs = contact?.guardQueuedMs ?? null;
  if (sinceMs === null || status?.holdReason !== 'unserved') return [];
  const text = `queued for ${shownDuration(nowMs - sinceMs)}: worker of region ${status.region} is full or busy, or none serves it`;
  return [['Guard', text]];
}

function waitRows(status: ClusterStatus, input: HeaderInput): readonly HeaderRow[] {
  const { advice, nextCommand, otherCommands, reversibility, rollsBackAtMs } = status;
  return [
    ...(advice === '' ? [] : ([['Waits', advice]] as const)),
    ...turnRows(rollsBackAtMs),
    ['Rollback', reversibility],
    ...commandRows(nextCommand, otherCommands, input),
  ];
}

function turnRows(rollsBackAtMs: number | undefined): readonly HeaderRow[] {
  if (rollsBackAtMs === undefined) return [];
  return [['Policy', `rolls back at ${clock(rollsBackAtMs)} unless decided`]];
}

function commandRows(
  next: string,
  others: readonly string[],
  { view, server }: HeaderInput,
): readonly HeaderRow[] {
  if (next === '') return [];
  return [
    ['Next', typable(next, view, server)],
    ...others.map((other) => ['or', typable(other, view, server)] as const),
  ];
}

function outcomeRows(input: HeaderInput): readonly HeaderRow[] {
  const { view } = input;
  if (view.outcomeUnread !== '') return [['Outcome', `not known: ${view.outcomeUnread}`]];
  if (view.outcome === null) return [];
  const { summary, clusterState, reversibility, nextCommand, otherCommands } = view.outcome;
  return [
    ['Outcome', summary],
    ['Cluster', clusterState],
    ['Rollback', reversibility],
    ...commandRows(nextCommand, otherCommands, input),
  ];
}

/** What was too quiet to say anything: nothing is asked of the reader. */
function noteRows({ view: { outcome }, status }: HeaderInput): readonly HeaderRow[] {
  const notes = outcome?.notes ?? status?.notes ?? [];
  return noteLines(notes).map((line) => ['Noted', line] as const);
}

function runText({ workflowId, startedAtMs, actor, reason }: RunView): string {
  const by = actor === '' ? '' : ` by ${actor}`;
  const why = reason === '' ? '' : ` (${reason})`;
  return `${workflowId} · started ${clock(startedAtMs)}${by}${why}`;
}

/** Times of day are UTC, as in Kubernetes logs. */
function clock(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** The state of a run: one mark and one word, with since when and by whom where operators need it. */
function headline(view: RunView, theme: Theme, nowMs: number): string {
  const { mark, word, tone } = stateOf(view);
  const since = sinceText(view, nowMs);
  return `${theme.mark(mark)} ${theme.paint(tone, word)}${since === '' ? '' : ` ${since}`}`;
}

/** The same without times, to detect a change. */
export function stateText(view: RunView): string {
  return stateOf(view).word;
}

/** Mark and word alone, for lists and logs. */
export function stateMark(view: RunView, theme: Theme): string {
  const { mark, word, tone } = stateOf(view);
  return `${theme.mark(mark)} ${theme.paint(tone, word)}`;
}

interface State {
  readonly mark: Parameters<Theme['mark']>[0];
  readonly word: string;
  readonly tone: Parameters<Theme['paint']>[0];
}

const STATES = {
  done: { mark: 'ok', word: 'Completed', tone: 'good' },
  rolledBack: { mark: 'ok', word: 'RolledBack', tone: 'good' },
  stopped: { mark: 'held', word: 'Stopped', tone: 'warn' },
  failed: { mark: 'failed', word: 'Failed', tone: 'bad' },
  refused: { mark: 'failed', word: 'Refused', tone: 'bad' },
  unread: { mark: 'warning', word: 'OutcomeUnknown', tone: 'warn' },
  terminated: { mark: 'failed', word: 'Terminated', tone: 'bad' },
  cancelled: { mark: 'held', word: 'Cancelled', tone: 'warn' },
  silent: { mark: 'warning', word: 'NoWorker', tone: 'warn' },
  serverAway: { mark: 'warning', word: 'NoServer', tone: 'warn' },
  otherCode: { mark: 'failed', word: 'OtherCode', tone: 'bad' },
  failing: { mark: 'failed', word: 'Failing', tone: 'bad' },
  paused: { mark: 'held', word: 'Paused', tone: 'warn' },
  pausing: { mark: 'running', word: 'Pausing', tone: 'warn' },
  parked: { mark: 'held', word: 'Parked', tone: 'warn' },
  waiting: { mark: 'waiting', word: 'WaitsForApproval', tone: 'warn' },
  unreachable: { mark: 'failed', word: 'Unreachable', tone: 'bad' },
  queued: { mark: 'waiting', word: 'Queued', tone: 'strong' },
  held: { mark: 'held', word: 'Held', tone: 'warn' },
  progressing: { mark: 'running', word: 'Progressing', tone: 'strong' },
} as const satisfies Record<string, State>;

function stateOf(view: RunView): State {
  if (view.outcome !== null) return STATES[view.outcome.kind];
  if (view.outcomeUnread !== '') return STATES.unread;
  switch (view.execution) {
    case 'failed':
    case 'timedOut':
      return STATES.failed;
    case 'terminated':
      return STATES.terminated;
    case 'cancelled':
      return STATES.cancelled;
    case 'completed':
    case 'running':
      return runningState(view);
  }
}

const SILENT = {
  CCM4013: STATES.failing,
  CCM4018: STATES.silent,
  CCM4020: STATES.serverAway,
  CCM4029: STATES.otherCode,
} as const;

function runningState({ status, silence, contact }: RunView): State {
  if (status === null) return SILENT[silence?.code ?? 'CCM4018'];
  if (status.pause === 'paused') return STATES.paused;
  if (contact !== null && contact.outage !== null) return STATES.unreachable;
  if (status.pause === 'pausing') return STATES.pausing;
  return heldState(status, contact);
}

function heldState(status: ClusterStatus, contact: RunView['contact']): State {
  if (status.holdReason === 'approval') return STATES.waiting;
  if (parkedText(status) !== '') return STATES.parked;
  if (status.holdReason === 'none') return STATES.progressing;
  const isQueued = status.holdReason === 'unserved' && (contact?.guardQueuedMs ?? null) !== null;
  return isQueued ? STATES.queued : STATES.held;
}

/** By whom the run is parked; empty where it is not. A run of an older build knows no fleet. */
export function parkedText({ parkedBy }: { readonly parkedBy?: string | null }): string {
  return typeof parkedBy === 'string' ? `by fleet ${parkedBy}` : '';
}

function sinceText(view: RunView, nowMs: number): string {
  const { status, closedAtMs, startedAtMs, contact } = view;
  if (closedAtMs !== null) return `after ${shownDuration(closedAtMs - startedAtMs)}`;
  const running = `· ${shownDuration(nowMs - startedAtMs)}`;
  if (status === null) return running;
  const waited = status.sinceMs === null ? '' : shownDuration(nowMs - status.sinceMs);
  if (status.pause === 'paused') return pauseText(status, waited);
  if (contact !== null && contact.outage !== null) {
    const pausing = status.pause === 'pausing' ? ' · pausing' : '';
    return `${shownDuration(nowMs - contact.outage.sinceMs)}${pausing}`;
  }
  if (heldState(status, contact) === STATES.progressing) return `${running}${letsGoOn(status)}`;
  return [waited, parkedText(status), codesOf(view)].filter((part) => part !== '').join(' · ');
}

type Pauses = Pick<NonNullable<RunView['status']>, 'pausedBy' | 'alertPause'>;

/** An alert's pause that waits for the run to be turned forward. */
function letsGoOn({ alertPause = null }: Pauses): string {
  return alertPause?.holds === false
    ? ` · rolls back, although ${alertPause.actor} has paused it`
    : '';
}

function pauseText({ pausedBy, alertPause = null }: Pauses, waited: string): string {
  const lets = alertPause?.holds === true ? '; a rollback would go on' : '';
  const by = pausedBy === null ? '' : `by ${pausedBy.actor}`;
  const why = pausedBy === null || pausedBy.reason === '' ? '' : `: "${pausedBy.reason}"`;
  return [waited, `${by}${why}${lets}`].filter((part) => part !== '').join(' ');
}

/** Why it holds. */
export function codesOf({ status }: RunView): string {
  return [...new Set((status?.findings ?? []).map(({ code }) => code))].join(', ');
}
