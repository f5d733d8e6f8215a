import { applyQueue } from './apply-commands.js';
import { decide, runStep } from './decide.js';
import { finishFailed, finishStopped } from './finish.js';
import { holdCommand } from './holds.js';
import type { RunCommand, RunLook, RunState, Transition } from './run-state.js';

/**
 * What happens when nothing is in flight. Recovery from a failed step comes first: re-acquire the fence, so that an attempt
 * that is still alive can no longer write, observe, and restore a manifest whose change was cut off. Only then is this a safe
 * point, where commands apply in order and the next step starts.
 */
export function settle(state: RunState): Transition {
  const recovery = state.recovering ? recover(state) : null;
  if (recovery !== null) return recovery;
  const safe: RunState = { ...state, recovering: false };
  if (safe.trouble?.kind === 'fatal') return finishFailed(safe, safe.trouble.failure);
  return goOn(applyQueue(safe));
}

function recover(state: RunState): Transition | null {
  if (state.due.fence) return takeFence(state, false);
  const look = currentLook(state);
  if (look === null) return observe(state, false);
  const { next } = look.decision;
  if (!look.guarded || next.kind !== 'step' || !next.planned.recovers) return null;
  const transition = runStep(state, next.planned);
  return transition.command.kind === 'runStep' ? transition : null;
}

/** The last observation, if its decision still answers the current request. */
function currentLook({ due, look, revision }: RunState): RunLook | null {
  return due.look || look?.decision.revision !== revision ? null : look;
}

function goOn(state: RunState): Transition {
  if (state.hold === 'stop') return finishStopped(state, state.because);
  if (state.hold === 'pause') return held(state, { kind: 'awaitCommand' });
  if (isSticky(state)) return held(state, holdCommand(state));
  return prepare(state) ?? interpret(state);
}

/** What must happen before the next decision, one thing at a time; null when nothing is left. */
function prepare(state: RunState): Transition | null {
  const { due } = state;
  if (due.check) return check(state, due.recheck);
  if (due.fence) return takeFence(state, true);
  if (due.recheck) return check(state, false);
  if (due.restMs > 0) return held(state, { kind: 'rest', ms: due.restMs });
  return due.measure ? soak(state, 0) : null;
}

function interpret(state: RunState): Transition {
  const look = currentLook(state);
  if (look === null) return observe(state, true);
  const decided = decide(state, look);
  switch (decided.kind) {
    case 'transition':
      return decided.transition;
    case 'turned':
      return goOn(decided.state);
    case 'soak':
      return soak(state, state.policy.soakSeconds * 1000);
    case 'check':
      return check(state, false);
    case 'held': {
      const troubled = { ...state, trouble: decided.trouble };
      return held(troubled, holdCommand(troubled));
    }
  }
}

/**
 * Each observation decides again whether the rules block and whether a worker serves the cluster; other holds stay
 * until they are resolved.
 */
function isSticky({ trouble }: RunState): boolean {
  return trouble !== null && trouble.kind !== 'blocked' && trouble.kind !== 'unserved';
}

function held(state: RunState, command: RunCommand): Transition {
  return { state: busy(state, { kind: 'held' }), command };
}

function busy(state: RunState, activity: RunState['activity']): RunState {
  return { ...state, activity };
}

function check(state: RunState, early: boolean): Transition {
  return { state: busy(state, { kind: 'checking' }), command: { kind: 'check', early } };
}

function takeFence(state: RunState, patient: boolean): Transition {
  const fences = state.fences + 1;
  const { acknowledge } = state.due;
  return {
    state: { ...state, fences, activity: { kind: 'takingFence' } },
    command: { kind: 'takeFence', fence: fences, acknowledge, patient },
  };
}

function observe(state: RunState, patient: boolean): Transition {
  return { state: busy(state, { kind: 'looking' }), command: { kind: 'observe', patient } };
}

function soak(state: RunState, soakMs: number): Transition {
  return {
    state: { ...state, trouble: null, activity: { kind: 'soaking', soakMs } },
    command: { kind: 'soak', soakMs },
  };
}
