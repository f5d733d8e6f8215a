import type { ClusterStatus } from '../../workflows/messages.js';
import type { Ending } from '../endings.js';
import type { RunView } from './run-view.js';

/** What a watch waits for. `settled`: the run has ended, or stands still until a person acts. */
export type Goal = 'settled' | 'ended' | 'done' | 'rolledBack' | 'paused' | 'held';

export const GOALS: readonly Goal[] = ['settled', 'ended', 'done', 'rolledBack', 'paused', 'held'];

/** How a watch ends with this look; null while there is more to wait for. */
export function verdictOn(view: RunView, goal: Goal): Ending | null {
  if (view.execution !== 'running') return endOf(view, goal);
  const { status } = view;
  if (status === null) return endOfSilence(view, goal);
  if (goal === 'paused' && status.pause === 'paused') return 'reached';
  const stands = standsStill(view);
  if (goal === 'held' && (stands || status.trouble !== 'none')) return 'reached';
  return stands && goal !== 'ended' ? standingAs(status) : null;
}

/** A worker that comes back cures silence; one that runs other code does not. */
function endOfSilence({ silence }: RunView, goal: Goal): Ending | null {
  return silence?.code === 'CCM4029' && goal !== 'ended' ? 'halted' : null;
}

/** A gate that could not be judged is told from one that failed: measuring again may be all it takes. */
function standingAs({ trouble, gates }: ClusterStatus): Ending {
  const unjudged = gates.length > 0 && gates.every(({ verdict }) => verdict !== 'fail');
  return trouble === 'gates' && unjudged ? 'inconclusive' : 'halted';
}

/** Stands until a person acts. An approval is waited for, and what the environment caused ends by itself. */
function standsStill({ status }: RunView): boolean {
  return status !== null && STANDS_STILL[status.trouble] && status.whoActs !== 'environment';
}

const STANDS_STILL: Readonly<Record<ClusterStatus['trouble'], boolean>> = {
  failure: true,
  fatal: true,
  repeats: true,
  gates: true,
  rejected: true,
  unserved: false,
  approval: false,
  blocked: false,
  none: false,
};

function endOf({ outcome }: RunView, goal: Goal): Ending {
  if (outcome === null) return 'halted';
  switch (outcome.kind) {
    case 'done':
      return goal === 'rolledBack' ? 'halted' : 'reached';
    case 'rolledBack':
      return goal === 'rolledBack' || goal === 'ended' ? 'reached' : 'rolledBack';
    case 'refused':
      return 'refused';
    case 'stopped':
    case 'failed':
      return 'halted';
  }
}
