import type { FailureType } from '../failures.js';
import { describeCluster } from './cluster-state.js';
import { nextCommand } from './next-command.js';
import type { RunOutcome } from './outcome.js';
import { reversibility } from './reversibility.js';
import type { RunRules } from './run-rules.js';
import type { RunFailure, RunState, Transition } from './run-state.js';

/** The target is reached. */
export function finishDone(state: RunState, rules: RunRules): Transition {
  const kind = state.target === 'ccm' ? 'done' : 'rolledBack';
  const words =
    state.steps.length === 0 ? 'there was nothing to do' : `${String(state.steps.length)} steps`;
  const next =
    kind === 'done'
      ? `ccm-migrate rollback ${state.cluster.name} takes it back`
      : `ccm-migrate check --cluster ${state.cluster.name}`;
  return end(state, rules, { kind, summary: `${words}; ${state.because}`, nextCommand: next });
}

export function finishStopped(state: RunState, rules: RunRules, summary: string): Transition {
  return end(state, rules, { kind: 'stopped', summary, nextCommand: nextCommand(state) });
}

/** `refused`: this run never began to change anything. `failed`: it did, and cannot go on. */
export function finishFailed(
  state: RunState,
  rules: RunRules,
  { type, whoActs, message }: RunFailure,
): Transition {
  const untouched = state.steps.length === 0 && Object.keys(state.tries).length === 0;
  return end(state, rules, {
    kind: whoActs === 'refuse' && untouched ? 'refused' : 'failed',
    summary: `${type}: ${message}`,
    nextCommand: nextCommand(state),
    failureType: type,
  });
}

interface Ending {
  readonly kind: RunOutcome['kind'];
  readonly summary: string;
  readonly nextCommand: string;
  readonly failureType?: FailureType;
}

function end(state: RunState, rules: RunRules, ending: Ending): Transition {
  const outcome: RunOutcome = {
    kind: ending.kind,
    target: state.target,
    summary: ending.summary,
    clusterState: describeCluster(state.look, state.policy),
    nextCommand: ending.nextCommand,
    reversibility: reversibility(state, rules),
    findings: state.trouble?.findings ?? [],
    stepsDone: state.steps.length,
    orphanMs: state.steps.reduce((sum, { orphanMs }) => sum + orphanMs, 0),
    failureType: ending.failureType ?? null,
  };
  return {
    state: { ...state, activity: { kind: 'ended', outcome } },
    command: { kind: 'finish', outcome },
  };
}
