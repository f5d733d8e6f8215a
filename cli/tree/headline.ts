import type { RunView } from '../runs/run-view.js';
import { shownDuration } from '../terminal/duration.js';
import type { Theme } from '../terminal/theme.js';

/** What a run is, in one mark and one word, with since when and by whom where that is what people ask. */
export function headline(view: RunView, theme: Theme, nowMs: number): string {
  const { mark, word, tone } = stateOf(view);
  const since = sinceWords(view, nowMs);
  return `${theme.mark(mark)} ${theme.paint(tone, word)}${since === '' ? '' : ` ${since}`}`;
}

/** The same without times, to notice a change by. */
export function stateWord(view: RunView): string {
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
  terminated: { mark: 'failed', word: 'Terminated', tone: 'bad' },
  cancelled: { mark: 'held', word: 'Cancelled', tone: 'warn' },
  silent: { mark: 'warning', word: 'NoWorker', tone: 'warn' },
  otherCode: { mark: 'failed', word: 'OtherCode', tone: 'bad' },
  failing: { mark: 'failed', word: 'Failing', tone: 'bad' },
  paused: { mark: 'held', word: 'Paused', tone: 'warn' },
  pausing: { mark: 'running', word: 'Pausing', tone: 'warn' },
  waiting: { mark: 'waiting', word: 'WaitsForApproval', tone: 'warn' },
  unreachable: { mark: 'failed', word: 'Unreachable', tone: 'bad' },
  held: { mark: 'held', word: 'Held', tone: 'warn' },
  progressing: { mark: 'running', word: 'Progressing', tone: 'strong' },
} as const satisfies Record<string, State>;

function stateOf(view: RunView): State {
  if (view.outcome !== null) return STATES[view.outcome.kind];
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
  CCM4029: STATES.otherCode,
} as const;

function runningState({ status, silence, contact }: RunView): State {
  if (status === null) return SILENT[silence?.code ?? 'CCM4018'];
  if (status.pause === 'paused') return STATES.paused;
  if (contact !== null && contact.outage !== null) return STATES.unreachable;
  if (status.pause === 'pausing') return STATES.pausing;
  if (status.trouble === 'approval') return STATES.waiting;
  return status.trouble === 'none' ? STATES.progressing : STATES.held;
}

function sinceWords(view: RunView, nowMs: number): string {
  const { status, closedAtMs, startedAtMs, contact } = view;
  if (closedAtMs !== null) return `after ${shownDuration(closedAtMs - startedAtMs)}`;
  const running = `· ${shownDuration(nowMs - startedAtMs)}`;
  if (status === null) return running;
  const waited = status.sinceMs === null ? '' : shownDuration(nowMs - status.sinceMs);
  if (status.pause === 'paused') return pauseWords(status.pausedBy, waited);
  if (contact !== null && contact.outage !== null) {
    const pausing = status.pause === 'pausing' ? ' · pausing' : '';
    return `${shownDuration(nowMs - contact.outage.sinceMs)}${pausing}`;
  }
  if (status.trouble === 'none') return running;
  return [waited, codesOf(view)].filter((part) => part !== '').join(' · ');
}

type PausedBy = NonNullable<RunView['status']>['pausedBy'];

function pauseWords(pausedBy: PausedBy, waited: string): string {
  const by = pausedBy === null ? '' : `by ${pausedBy.actor}`;
  const why = pausedBy === null || pausedBy.reason === '' ? '' : `: "${pausedBy.reason}"`;
  return [waited, `${by}${why}`].filter((part) => part !== '').join(' ');
}

/** What it holds for. */
export function codesOf({ status }: RunView): string {
  return [...new Set((status?.findings ?? []).map(({ code }) => code))].join(', ');
}
