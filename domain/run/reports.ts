import type { GateVerdict } from '../gates/verdicts.js';
import type { PlannedStep } from '../decision/run-decision.js';
import { isCured } from './settle.js';
import { healed } from './holds.js';
import { nodeOf } from './run-findings.js';
import type {
  RunCheck,
  RunChange,
  RunLook,
  RunReport,
  RunSoak,
  RunState,
  StepRecord,
} from './run-state.js';

/** The state after a check. A check that ran before the fence was taken is repeated under it where that is due. */
export function withCheck(state: RunState, { planDigest, objections }: RunCheck): RunState {
  const { check, recheck, plan } = state.due;
  return {
    ...state,
    ...{ planDigest: planDigest ?? state.planDigest, objections },
    due: { ...state.due, check: false, recheck: check && recheck, plan: check && plan },
  };
}

/** The state after the fence was taken, in its epoch. */
export function withFence(state: RunState, epoch: number): RunState {
  return { ...state, epoch, due: { ...state.due, fence: false, acknowledge: false } };
}

/** The state after an observation. */
export function withLook(state: RunState, look: RunLook): RunState {
  const { decision, sightings, inventory, guarded } = look;
  return {
    ...state,
    look: { decision, sightings, inventory, guarded },
    since: state.since ?? inventory,
    due: { ...state.due, look: false },
  };
}

/** The state after a wait. A new decision is executed only after a full observation of its own. */
export function withChange(state: RunState, { ended, decision, sightings }: RunChange): RunState {
  const waited: RunState = {
    ...state,
    waits: state.waits + 1,
    look: state.look && { ...state.look, decision, sightings },
  };
  switch (ended) {
    case 'timeUp':
      return waited;
    case 'changed':
      return decision.next.kind === 'blocked' ? waited : lookingAgain(waited);
    case 'guarded':
      return lookingAgain(waited);
    case 'healed':
      return lookingAgain(healed(waited));
  }
}

function lookingAgain(state: RunState): RunState {
  return { ...state, due: { ...state.due, look: true } };
}

/** The state after a completed step. */
export function withReport(state: RunState, report: RunReport): RunState {
  if (state.activity.kind !== 'stepping') return state;
  const { planned } = state.activity;
  const seen = withLook(state, report);
  const breaches = state.breaches.filter(({ code }) => !isCured(code, planned.step));
  return {
    ...seen,
    // A cured breach remains in the fence until the fence is re-acquired.
    due: { ...seen.due, fence: seen.due.fence || breaches.length < state.breaches.length },
    breaches,
    steps: [...state.steps, recordOf(planned, report)],
    failures: { step: '', count: 0 },
    unserved: 0,
    heals: 0,
    guardLosses: 0,
    gates: failing(report.verdicts),
    ...proofAfter(state, planned),
  };
}

function proofAfter(
  { soak, soakProgress, verified }: RunState,
  { keepsProof, step }: PlannedStep,
): Pick<RunState, 'soak' | 'soakProgress' | 'verified'> {
  return {
    soak: keepsProof ? soak : 'due',
    soakProgress: keepsProof ? soakProgress : null,
    verified: step.phase === 'verify' || (keepsProof && verified),
  };
}

function recordOf({ step }: PlannedStep, { summary }: RunReport): StepRecord {
  return {
    name: step.name,
    phase: step.phase,
    node: nodeOf(step),
    detail: summary.detail,
    durationMs: summary.durationMs,
    orphanMs: summary.orphanMs,
    mutations: summary.mutations,
  };
}

/** The state after a soak, or after a single measurement of the gates. */
export function withSoak(state: RunState, report: RunSoak): RunState {
  const { activity, soak, revision } = state;
  // A soak of another direction, or under other waivers and approvals, proves nothing for this one.
  const counts = soak === 'due' && report.decision.revision === revision;
  const progressed = counts ? report.progress : null;
  if (activity.kind !== 'soaking') return { ...state, soakProgress: progressed };
  const gates = failing(report.verdicts);
  const measured: RunState = {
    ...withLook(state, report),
    gates,
    failures: { step: '', count: 0 },
  };
  const seen: RunState = { ...measured, due: { ...measured.due, measure: false } };
  if (activity.soakMs === 0) return seen;
  if (gates.some(({ verdict }) => verdict === 'fail')) {
    return { ...seen, soak: 'failed', soakProgress: null };
  }
  return report.complete && gates.length === 0
    ? { ...seen, soak: 'passed', soakProgress: null }
    : { ...seen, soakProgress: progressed };
}

/** The gates that did not pass; an empty measurement is not a pass either. */
function failing(verdicts: readonly GateVerdict[]): readonly GateVerdict[] {
  return verdicts.length === 0
    ? [NOTHING_MEASURED]
    : verdicts.filter(({ verdict }) => verdict !== 'pass');
}

const NOTHING_MEASURED: GateVerdict = {
  gate: 'none',
  hardness: 'hard',
  verdict: 'noData',
  detail: 'no gate was measured',
  code: 'CCM3012',
};
