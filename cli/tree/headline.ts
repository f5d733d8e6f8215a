import type { RunView } from '../runs/run-view.js';
import type { Theme } from '../terminal/theme.js';

/** What a run is, in one mark and one word. A finished rollback is a success and looks like one. */
export function headline(view: RunView, theme: Theme): string {
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

function runningState({ status, silence }: RunView): State {
  if (status === null) return SILENT[silence?.code ?? 'CCM4018'];
  if (status.pause === 'paused') return STATES.paused;
  if (status.pause === 'pausing') return STATES.pausing;
  if (status.trouble === 'approval') return STATES.waiting;
  return status.trouble === 'none' ? STATES.progressing : STATES.held;
}
