import type { GateVerdict } from '../gates/verdicts.js';
import type { PlannedStep } from '../decision/run-decision.js';
import { isCured } from './resume-loop.js';
import { healed } from './holds.js';
import { nodeOf } from './run-findings.js';
import type { RunState, StepRecord } from './run-state.js';
import type { RunChange, RunCheck, RunObservation, SoakResult, StepResult } from './results.js';

/** The state after a check. A check that ran before the fence was taken is repeated under it where that is due. */
export function withCheck(state: RunState, { planDigest, objections }: RunCheck): RunState {
  const { check, recheck, plan } = state.pending;
  return {
    ...state,
    ...{ planDigest: planDigest ?? state.planDigest, objections },
    pending: { ...state.pending, check: false, recheck: check && recheck, plan: check && plan },
  };
}

/** The state after the fence was taken, in its epoch. */
export function withFence(state: RunState, epoch: number): RunState {
  return { ...state, epoch, pending: { ...state.pending, fence: false, acknowledge: false } };
}

/** The state after an observation. */
export function withObservation(state: RunState, observed: RunObservation): RunState {
  const { decision, firstSeen, inventory, guarded } = observed;
  return {
    ...state,
    observed: { decision, firstSeen, inventory, guarded },
    since: state.since ?? inventory,
    pending: { ...state.pending, observed: false },
  };
}

/** The state after a wait. A new decision is executed only after a full observation of its own. */
export function withChange(state: RunState, { ended, decision, firstSeen }: RunChange): RunState {
  const waited: RunState = {
    ...state,
    waitCount: state.waitCount + 1,
    observed: state.observed && { ...state.observed, decision, firstSeen },
  };
  switch (ended) {
    case 'timeUp':
      return waited;
    case 'changed':
      return decision.next.kind === 'blocked' ? waited : observingAgain(waited);
    case 'guarded':
      return observingAgain(waited);
    case 'healed':
      return observingAgain(healed(waited));
  }
}

function observingAgain(state: RunState): RunState {
  return { ...state, pending: { ...state.pending, observed: true } };
}

/** The state after a completed step. */
export function withReport(state: RunState, report: RunObservation & StepResult): RunState {
  if (state.inFlight.kind !== 'stepping') return state;
  const { planned } = state.inFlight;
  const seen = withObservation(state, report);
  const breaches = state.breaches.filter(({ code }) => !isCured(code, planned.step));
  return {
    ...seen,
    // A cured breach remains in the fence until the fence is re-acquired.
    pending: {
      ...seen.pending,
      fence: seen.pending.fence || breaches.length < state.breaches.length,
    },
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
    soak: keepsProof ? soak : 'pending',
    soakProgress: keepsProof ? soakProgress : null,
    verified: step.phase === 'verify' || (keepsProof && verified),
  };
}

function recordOf({ step }: PlannedStep, { summary }: StepResult): StepRecord {
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
export function withSoak(state: RunState, report: RunObservation & SoakResult): RunState {
  const { inFlight, soak, revision } = state;
  // A soak of another direction, or under other waivers and approvals, proves nothing for this one.
  const counts = soak === 'pending' && report.decision.revision === revision;
  const progressed = counts ? report.progress : null;
  if (inFlight.kind !== 'soaking') return { ...state, soakProgress: progressed };
  const gates = failing(report.verdicts);
  const measured: RunState = {
    ...withObservation(state, report),
    gates,
    failures: { step: '', count: 0 },
  };
  const seen: RunState = { ...measured, pending: { ...measured.pending, measure: false } };
  if (inFlight.soakMs === 0) return seen;
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
