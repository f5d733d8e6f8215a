import type { ChainHead } from '../evidence/chain.js';
import { quietNotes } from '../gates/quiet-notes.js';
import { holdsRun, type GateVerdict } from '../gates/verdicts.js';
import { countingVerdicts } from '../gates/waived-gates.js';
import type { WaivedKey } from '../policy.js';
import type { PlannedStep } from '../decision/run-decision.js';
import { isCured } from './resume-loop.js';
import { NOT_PROVEN, NO_ATTEMPTS } from './cleared-parts.js';
import { healed } from './holds.js';
import { keptProbes, probesAfter } from './probes-due.js';
import { nodeOf } from './run-findings.js';
import type { Proofs, RunState, StepRecord } from './run-state.js';
import type { RunChange, RunCheck, RunObservation, SoakResult, StepResult } from './results.js';

/** The state after a check. A check that ran before the fence was taken is repeated under it where that is due. */
export function withCheck(state: RunState, report: RunCheck): RunState {
  const { direction } = state;
  const planDigest = report.planDigest ?? direction.planDigest;
  const { check, recheck, plan } = state.pending;
  return {
    ...state,
    direction: { ...direction, planDigest, objections: report.objections },
    pending: { ...state.pending, check: false, recheck: check && recheck, plan: check && plan },
  };
}

/** The state after the fence was taken, in its epoch. */
export function withFence(
  state: RunState,
  { epoch, evidence }: { readonly epoch: number; readonly evidence?: ChainHead },
): RunState {
  return {
    ...state,
    ...(evidence === undefined ? {} : { evidence }),
    fence: { ...state.fence, epoch },
    pending: { ...state.pending, fence: false, acknowledge: false },
  };
}

/** Nothing else that an activity returned enters the state, which must survive JSON. */
function keptOf(observed: RunObservation): RunObservation {
  const { decision, firstSeen, observationId, inventory, guarded } = observed;
  const remembered = observationId === undefined ? {} : { observationId };
  return { decision, firstSeen, ...remembered, inventory, guarded };
}

/** The state after an observation. */
export function withObservation(state: RunState, observed: RunObservation): RunState {
  const { inventory } = observed;
  return {
    ...state,
    observed: keptOf(observed),
    proofs: { ...state.proofs, since: state.proofs.since ?? inventory },
    pending: { ...state.pending, observed: false },
  };
}

/** The state after a wait. A new decision is executed only after a full observation of its own. */
export function withChange(state: RunState, change: RunChange): RunState {
  const { ended, decision } = change;
  const waited: RunState = {
    ...state,
    attempts: { ...state.attempts, waits: state.attempts.waits + 1 },
    observed: state.observed && keptOf({ ...state.observed, observationId: undefined, ...change }),
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
  const { problems, attempts, done } = state;
  const { planned } = state.inFlight;
  const seen = withObservation(state, report);
  const breaches = problems.breaches.filter(({ code }) => !isCured(code, planned.step));
  return {
    ...seen,
    ...(report.evidence === undefined ? {} : { evidence: report.evidence }),
    problems: { ...problems, breaches, gates: failing(report.verdicts) },
    attempts: { ...NO_ATTEMPTS, byDecision: attempts.byDecision },
    proofs: proofsAfter(planned, seen.proofs, report),
    done: { ...done, steps: [...done.steps, recordOf(planned, report)] },
    // A cured breach remains in the fence until the fence is re-acquired.
    pending: {
      ...seen.pending,
      fence: seen.pending.fence || breaches.length < problems.breaches.length,
    },
  };
}

function proofsAfter(planned: PlannedStep, proofs: Proofs, result: StepResult): Proofs {
  const { keepsProof, step } = planned;
  const { probes = {}, ...kept } = keepsProof ? proofs : { ...proofs, ...NOT_PROVEN };
  return {
    ...kept,
    verified: step.effect.kind === 'verify' || kept.verified,
    ...keptProbes(probesAfter(probes, planned, result)),
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
  const { inFlight, direction } = state;
  // A soak of another direction, or under other waivers and approvals, proves nothing for this one.
  const counts = state.proofs.soak === 'pending' && report.decision.revision === direction.revision;
  const soakProgress = counts ? report.progress : null;
  if (inFlight.kind !== 'soaking') return { ...state, proofs: { ...state.proofs, soakProgress } };
  const gates = failing(report.verdicts, direction.waivedGates);
  const seen = withObservation(state, report);
  const proofs = { ...seen.proofs, notes: quietNotes(report.verdicts) };
  return {
    ...seen,
    problems: { ...state.problems, gates },
    attempts: { ...state.attempts, failures: NO_ATTEMPTS.failures },
    proofs: inFlight.soakMs === 0 ? proofs : soakProofs({ ...proofs, soakProgress }, report, gates),
    pending: { ...seen.pending, measure: false },
  };
}

function soakProofs(
  proofs: Proofs,
  { complete }: SoakResult,
  gates: readonly GateVerdict[],
): Proofs {
  const failed = gates.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > 0) {
    // Where soft gates alone failed, a person may skip them: then the soak goes on from here. Everything else begins it again.
    const isSoft = failed.every(({ hardness }) => hardness === 'soft');
    return { ...proofs, soak: 'failed', soakProgress: isSoft ? proofs.soakProgress : null };
  }
  return complete && gates.length === 0
    ? { ...proofs, soak: 'passed', soakProgress: null }
    : proofs;
}

/**
 * The gates that hold the run; an empty measurement does, too. Skipped ones are left out of soaks alone: what a step compares is
 * skipped once, or another loss would pass with the first.
 */
function failing(
  verdicts: readonly GateVerdict[],
  waived: readonly WaivedKey[] = [],
): readonly GateVerdict[] {
  return verdicts.length === 0
    ? [NOTHING_MEASURED]
    : countingVerdicts(verdicts, waived).filter(holdsRun);
}

const NOTHING_MEASURED: GateVerdict = {
  gate: 'none',
  hardness: 'hard',
  verdict: 'noData',
  detail: 'no gate was measured',
  code: 'CCM3012',
};
