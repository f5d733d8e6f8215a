import { applyQueue } from './apply-commands.js';
import { decide, runStep } from './decide.js';
import { effectivePolicy } from './effective-policy.js';
import { finishFailed, finishStopped } from './finish.js';
import type { RunRules } from './run-rules.js';
import type { RunCommand, RunState, Transition, Trouble } from './run-state.js';

/**
 * What happens when nothing is in flight any more. First a failed step is recovered from: the fence anew, so that
 * an attempt that still lives can write no more, a look, and a manifest that was cut off is put back. Only then is
 * this a safe point, where commands apply in order and the next step is decided.
 */
export function settle(state: RunState, rules: RunRules): Transition {
  const recovery = state.recovering ? recover(state, rules) : null;
  if (recovery !== null) return recovery;
  const safe: RunState = { ...state, recovering: false };
  if (safe.trouble?.kind === 'fatal') return finishFailed(safe, rules, safe.trouble.failure);
  return goOn(applyQueue(safe, rules), rules);
}

function recover(state: RunState, rules: RunRules): Transition | null {
  const { due, look, target } = state;
  if (due.fence) return takeFence(state);
  if (due.look || look === null) return observe(state);
  const { observation } = look;
  const decision = rules.nextStep(observation, target, effectivePolicy(state, observation));
  if (decision.kind !== 'step' || decision.step.name !== 'finishManifest') return null;
  const transition = runStep(state, decision.step, observation);
  return transition.command.kind === 'runStep' ? transition : null;
}

function goOn(state: RunState, rules: RunRules): Transition {
  if (state.hold === 'stop') return finishStopped(state, rules, state.because);
  if (state.hold === 'pause' || isSticky(state.trouble))
    return hold(state, { kind: 'awaitCommand' });
  if (state.due.fence) return takeFence(state);
  if (state.due.measure) return soak(state, 0);
  if (state.due.look || state.look === null) return observe(state);
  const decided = decide(state, state.look.observation, rules);
  switch (decided.kind) {
    case 'transition':
      return decided.transition;
    case 'turned':
      return goOn(decided.state, rules);
    case 'soak':
      return soak(state, state.policy.soakSeconds * 1000);
    case 'held':
      return hold({ ...state, trouble: decided.trouble }, waitFor(decided.trouble, state.waits));
  }
}

function waitFor(trouble: Trouble, waits: number): RunCommand {
  return trouble.kind === 'blocked'
    ? { kind: 'awaitChange', findings: trouble.findings, waits }
    : { kind: 'awaitCommand' };
}

/** Everything but `blocked` waits for a person; what the rules see is asked anew at each look. */
function isSticky(trouble: Trouble | null): boolean {
  return trouble !== null && trouble.kind !== 'blocked';
}

function hold(state: RunState, command: RunCommand): Transition {
  return { state: { ...state, activity: { kind: 'held' } }, command };
}

function takeFence(state: RunState): Transition {
  const fences = state.fences + 1;
  return {
    state: { ...state, fences, activity: { kind: 'takingFence' } },
    command: { kind: 'takeFence', fence: fences },
  };
}

function observe(state: RunState): Transition {
  return { state: { ...state, activity: { kind: 'looking' } }, command: { kind: 'observe' } };
}

function soak(state: RunState, soakMs: number): Transition {
  return {
    state: { ...state, trouble: null, activity: { kind: 'soaking', soakMs } },
    command: { kind: 'soak', soakMs },
  };
}
