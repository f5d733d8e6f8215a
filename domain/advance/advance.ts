import type { GateVerdict } from '../gates.js';
import { answered } from './answers.js';
import { applyQueue, enqueue, refuseQueue } from './apply-commands.js';
import { afterFailure } from './after-failure.js';
import { isKnown } from './carry.js';
import { onBreach, onGuardEnded, reopened } from './guard-events.js';
import type { OperatorCommand } from './operator-command.js';
import { withChange, withCheck, withFence, withLook, withReport, withSoak } from './reports.js';
import { stepSubject } from './run-findings.js';
import type { Activity, RunEvent, RunState, Transition } from './run-state.js';
import { settle } from './settle.js';

/**
 * The loop of a run as a pure function: an event comes in, the next command comes out. The workflow, rehearsals and the fault
 * matrix share it. Activity events must belong to the activity in flight. It interprets decisions that were made with the
 * observation and makes none itself.
 */
export function advance(state: RunState, event: RunEvent): Transition {
  const next = step(state, event);
  return next.command.kind === 'finish' ? { ...next, state: refuseQueue(next.state) } : next;
}

function step(state: RunState, event: RunEvent): Transition {
  switch (event.kind) {
    case 'started':
      return settle(state);
    case 'checked':
      return settle(withCheck(state, event.report));
    case 'fenceTaken':
      return settle(withFence(state, event.epoch));
    case 'looked':
      return settle(withLook(state, event.look));
    case 'changeSeen':
      return settle(withChange(state, event.change));
    case 'rested':
      return settle({ ...state, due: { ...state.due, restMs: 0 } });
    case 'stepFinished':
      return settle(withReport(state, event.report));
    case 'soakFinished':
      return onSoak(state, withSoak(state, event.report));
    case 'activityFailed':
      return settle(afterFailure(state, event.failure));
    case 'commandReceived':
      return onCommand(state, event.command);
    case 'commandMalformed':
      return goes(onMalformed(state, event.commandId, event.problem));
    case 'cancelled':
      return onCommand(state, CANCELLATION);
    case 'guardBreach':
      return onVerdict(state, event.verdict);
    case 'guardEnded':
      return onLostGuard(state, event.why);
    case 'unvouched':
      return settle(reopened(state));
  }
}

/** Cancelling the workflow stops the run at its next safe point. It never starts a rollback. */
const CANCELLATION: OperatorCommand = {
  commandId: 'temporal-cancellation',
  verb: 'stop',
  arguments: {},
  actor: 'temporal',
  reason: 'the workflow was cancelled',
  ticket: '',
};

/** A soak interrupted by a command still reports its progress; whatever replaced it continues. */
function onSoak(before: RunState, after: RunState): Transition {
  return before.activity.kind === 'soaking' ? settle(after) : goes(after);
}

function onCommand(state: RunState, command: OperatorCommand): Transition {
  if (isKnown(state, command.commandId)) return goes(state);
  const queued = enqueue(state, command, pendingWords(command, state.activity));
  if (state.activity.kind === 'ended') return goes(refuseQueue(queued));
  return isSafePoint(state) ? atOnce(queued, command) : goes(queued);
}

/**
 * Activities that change nothing, or have not started, are cancelled so that a command can apply: waits, soaks, observations
 * and fence requests. Recovery from a failed step still comes first.
 */
function isSafePoint({ activity, recovering }: RunState): boolean {
  return activity.kind !== 'stepping' && activity.kind !== 'idle' && !recovering;
}

/** A refused command leaves the current wait untouched. */
function atOnce(queued: RunState, { commandId }: OperatorCommand): Transition {
  const after = applyQueue(queued);
  return after.answers[commandId]?.state === 'refused' ? goes(after) : settle(after);
}

function pendingWords({ verb }: OperatorCommand, activity: Activity): string {
  const doing = verb === 'pause' ? 'pausing' : `${verb} waits`;
  return activity.kind === 'stepping'
    ? `${doing}: ${stepSubject(activity.planned.step)} is in flight`
    : `${doing}: at the next safe point`;
}

function onMalformed(state: RunState, commandId: string, problem: string): RunState {
  if (commandId === '' || isKnown(state, commandId)) return state;
  return answered(state, commandId, { state: 'refused', detail: `malformed: ${problem}` });
}

function onVerdict(state: RunState, verdict: GateVerdict): Transition {
  const { next, decides } = onBreach(state, verdict);
  return decides ? settle(next) : goes(next);
}

function onLostGuard(state: RunState, why: string): Transition {
  const { next, decides } = onGuardEnded(state, why);
  return decides ? settle(next) : goes(next);
}

function goes(state: RunState): Transition {
  return { state, command: { kind: 'continue' } };
}
