import type { GateVerdict } from '../gates.js';
import { isCured } from './decide.js';
import { heals } from './holds.js';
import { guardFindings } from './run-findings.js';
import type { RunState } from './run-state.js';

/** How often the fence is taken again because the guard ended, before the run holds. */
const MAX_GUARD_LOSSES = 3;

/** A state, and whether the next action must be decided now. */
export interface Noted {
  readonly next: RunState;
  readonly decides: boolean;
}

/**
 * A breach that the guard reports. It is also recorded in the fence, so writes stop however late this event arrives.
 */
export function onBreach(state: RunState, verdict: GateVerdict): Noted {
  const { activity } = state;
  if (activity.kind === 'ended') return { next: state, decides: false };
  if (activity.kind === 'stepping' && isCured(verdict.code, activity.planned.step)) {
    // The step in flight cures it, but the fence still records it: the next step may write only after the fence is
    // re-acquired.
    return { next: { ...state, due: { ...state.due, fence: true } }, decides: false };
  }
  const known = state.breaches.some(
    ({ gate, code }) => gate === verdict.gate && code === verdict.code,
  );
  if (known) return { next: state, decides: false };
  const breached: RunState = { ...state, breaches: [...state.breaches, verdict] };
  if (activity.kind === 'soaking') return { next: breached, decides: true };
  // A hold that waits for the cluster ends when the cluster gets worse: policy may now want a rollback.
  const { trouble } = state;
  return activity.kind === 'held' && state.hold === 'none' && trouble !== null && heals(trouble)
    ? { next: { ...breached, trouble: null }, decides: true }
    : { next: breached, decides: false };
}

/**
 * A run is not done until a guard has confirmed its final state: a guard observes again in a new epoch, and the run ends when
 * that guard reports. Until there is one, the run holds.
 */
export function reopened(state: RunState): RunState {
  return { ...state, activity: { kind: 'idle' }, due: { ...state.due, fence: true, look: true } };
}

/** Without its guard a run must not write: the fence is re-acquired, which also starts a new guard. */
export function onGuardEnded(state: RunState, why: string): Noted {
  if (state.activity.kind === 'ended') return { next: state, decides: false };
  const guardLosses = state.guardLosses + 1;
  const lost: RunState = { ...state, guardLosses, due: { ...state.due, fence: true } };
  const next: RunState =
    guardLosses > MAX_GUARD_LOSSES
      ? {
          ...lost,
          trouble: { kind: 'failure', whoActs: 'environment', findings: guardFindings(why) },
        }
      : lost;
  return { next, decides: state.activity.kind === 'held' };
}
