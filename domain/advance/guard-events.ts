import type { GateVerdict } from '../gates.js';
import { isCured } from './decide.js';
import { heals } from './holds.js';
import { guardFindings } from './run-findings.js';
import type { RunState } from './run-state.js';

/** How often the fence is taken again because the guard ended, before the run holds. */
const MAX_GUARD_LOSSES = 3;

/** A state, and whether what to do next has to be decided now. */
export interface Noted {
  readonly next: RunState;
  readonly decides: boolean;
}

/** A breach that the guard reports. It stands in the fence too, so nothing is written whenever this arrives. */
export function onBreach(state: RunState, verdict: GateVerdict): Noted {
  const { activity } = state;
  if (activity.kind === 'ended') return { next: state, decides: false };
  if (activity.kind === 'stepping' && isCured(verdict.code, activity.planned.step)) {
    // Cured by the step in flight, but it stands in the fence: only a fence taken again lets the next step write.
    return { next: { ...state, due: { ...state.due, fence: true } }, decides: false };
  }
  const known = state.breaches.some(
    ({ gate, code }) => gate === verdict.gate && code === verdict.code,
  );
  if (known) return { next: state, decides: false };
  const breached: RunState = { ...state, breaches: [...state.breaches, verdict] };
  if (activity.kind === 'soaking') return { next: breached, decides: true };
  // A hold that waits for the cluster is over when the cluster got worse: policy may want to go back now.
  const { trouble } = state;
  return activity.kind === 'held' && state.hold === 'none' && trouble !== null && heals(trouble)
    ? { next: { ...breached, trouble: null }, decides: true }
    : { next: breached, decides: false };
}

/**
 * What nobody watched to its end is not done: in an epoch of its own a guard looks again, and the run ends when that one
 * reports. Until one is there the run holds.
 */
export function reopened(state: RunState): RunState {
  return { ...state, activity: { kind: 'idle' }, due: { ...state.due, fence: true, look: true } };
}

/** Without its guard a run may not write: the fence is taken again, which also starts a new guard. */
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
