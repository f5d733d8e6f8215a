import type { FailureType } from '../failures.js';
import { toldNotes } from '../gates/quiet-notes.js';
import type { RunOutcome } from './outcome.js';
import type { RunFailure, RunState, Transition } from './run-state.js';
import { type NextActions, checkCommand, nextActions, turn } from './next-actions.js';
import { reversibilityText, totalsOf } from './run-status.js';

/** The target is reached. */
export function finishDone(state: RunState): Transition {
  const { target, reason } = state.direction;
  const kind = target === 'ccm' ? 'done' : 'rolledBack';
  const { steps } = totalsOf(state.done);
  const words = steps === 0 ? 'there was nothing to do' : `${String(steps)} steps`;
  const commands = [checkCommand(state), turn(state)] as const;
  return end(state, { kind, summary: `${words}; ${reason}`, commands });
}

export function finishStopped(state: RunState, summary: string): Transition {
  return end(state, { kind: 'stopped', summary, commands: nextActions(state).commands });
}

/** `refused`: this run never began to change anything. `failed`: it did, and cannot go on. */
export function finishFailed(state: RunState, { type, whoActs, message }: RunFailure): Transition {
  const { done, attempts } = state;
  const untouched = totalsOf(done).steps === 0 && Object.keys(attempts.byDecision).length === 0;
  return end(state, {
    kind: whoActs === 'refuse' && untouched ? 'refused' : 'failed',
    summary: `${type}: ${message}`,
    commands: nextActions(state).commands,
    failureType: type,
  });
}

interface Ending {
  readonly kind: RunOutcome['kind'];
  readonly summary: string;
  readonly commands: NextActions['commands'];
  readonly failureType?: FailureType;
}

function end(state: RunState, ending: Ending): Transition {
  const totals = totalsOf(state.done);
  const [nextCommand, ...otherCommands] = ending.commands;
  const outcome: RunOutcome = {
    kind: ending.kind,
    target: state.direction.target,
    summary: ending.summary,
    clusterState:
      state.observed?.decision.cluster ?? 'the cluster was not observed and nothing was changed',
    nextCommand,
    otherCommands,
    reversibility: reversibilityText(state),
    findings: state.problems.holdReason?.findings ?? [],
    ...toldNotes(state.proofs.notes),
    stepsDone: totals.steps,
    orphanMs: totals.orphanMs,
    failureType: ending.failureType ?? null,
  };
  return {
    state: { ...state, inFlight: { kind: 'ended', outcome } },
    command: { kind: 'finish', outcome },
  };
}
