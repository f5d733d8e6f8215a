import type { GateVerdict } from '../gates.js';
import type { NextMove, PlannedStep } from '../decision/run-decision.js';
import type { Step } from '../step.js';
import { finishDone } from './finish.js';
import { gatesTrouble } from './holds.js';
import { approvalFindings, repeatFindings, unguardedFindings } from './run-findings.js';
import type { RunLook, RunState, Transition, Trouble } from './run-state.js';
import { turnTo } from './turn.js';

/** How often a decision may be executed, or a step may fail, before the run holds. */
export const MAX_TRIES = 4;

export type Decided =
  | { readonly kind: 'transition'; readonly transition: Transition }
  /** Policy changed the run's direction. */
  | { readonly kind: 'turned'; readonly state: RunState }
  | { readonly kind: 'soak' }
  | { readonly kind: 'check' }
  | { readonly kind: 'held'; readonly trouble: Trouble };

/** The next move from a fresh decision, with gates, approvals and soaks in front of it. */
export function decide(state: RunState, look: RunLook): Decided {
  const { next, proof } = look.decision;
  const [first, ...others] = uncured(state, next);
  if (first !== undefined) return onUncured(state, [first, ...others]);
  switch (next.kind) {
    case 'blocked':
      return { kind: 'held', trouble: { kind: 'blocked', findings: next.findings } };
    case 'done':
      return (hasStepped(state) ? vouched(state, look, proof) : null) ?? finished(state);
    case 'step':
      return guardStep(state, look, next.planned);
  }
}

/** Executes a step, unless it was tried too often since the last operator command. */
export function runStep(state: RunState, planned: PlannedStep): Transition {
  const { key, attempt, step } = planned;
  const tries = state.tries[attempt] ?? 0;
  const failures = state.failures.step === key ? state.failures.count : 0;
  if (tries >= MAX_TRIES || failures >= MAX_TRIES) {
    const { text, whoActs: cause } = state.lastFailure;
    const findings = repeatFindings(step, Math.max(tries, failures), text);
    // Only a person can resolve a step that succeeds and changes nothing.
    const whoActs = failures >= MAX_TRIES ? cause : 'person';
    const trouble: Trouble = { kind: 'repeats', whoActs, findings };
    return {
      state: { ...state, trouble, activity: { kind: 'held' } },
      command: { kind: 'awaitCommand' },
    };
  }
  return {
    state: {
      ...state,
      trouble: state.recovering ? state.trouble : null,
      waits: 0,
      tries: { ...state.tries, [attempt]: tries + 1 },
      activity: { kind: 'stepping', planned },
    },
    command: { kind: 'runStep', planned },
  };
}

/** Whether any execution of this run has executed a step. */
export function hasStepped({ steps, earlier }: RunState): boolean {
  return steps.length + earlier.steps > 0;
}

function guardStep(state: RunState, look: RunLook, planned: PlannedStep): Decided {
  const unplanned = planned.step.phase === 'repair' ? null : planDue(state);
  if (unplanned !== null) return unplanned;
  const proof = planned.afterProof ? proofDue(state, look, look.decision.proof) : null;
  if (proof !== null) return proof;
  if (planned.approval !== null) {
    const findings = approvalFindings(planned.step);
    return { kind: 'held', trouble: { kind: 'approval', what: planned.approval, findings } };
  }
  return begin(state, look, planned);
}

/** A changed direction has its own plan, which preflight may object to; null when there is no objection. */
function planDue({ due, objections }: RunState): Decided | null {
  if (due.plan) return { kind: 'check' };
  const [first, ...more] = objections;
  if (first === undefined) return null;
  const findings = [first, ...more] as const;
  return { kind: 'held', trouble: { kind: 'failure', whoActs: 'person', findings } };
}

/** No step starts that could not write: without a guard the run waits for one. */
function begin(state: RunState, { guarded }: RunLook, planned: PlannedStep): Decided {
  if (!guarded) return unserved();
  const transition = runStep(state, planned);
  const { trouble } = transition.state;
  return transition.command.kind === 'awaitCommand' && trouble !== null
    ? { kind: 'held', trouble }
    : { kind: 'transition', transition };
}

/** A run that changed something ends only after its guard has confirmed the final state. */
function vouched(state: RunState, look: RunLook, proof: PlannedStep): Decided | null {
  return proofDue(state, look, proof) ?? (look.guarded ? null : unserved());
}

function finished(state: RunState): Decided {
  return { kind: 'transition', transition: finishDone({ ...state, trouble: null }) };
}

function unserved(): Decided {
  return { kind: 'held', trouble: { kind: 'unserved', findings: unguardedFindings() } };
}

/** First the soak, then the comparison with the start; null when both are done. */
function proofDue(state: RunState, look: RunLook, proof: PlannedStep): Decided | null {
  if (soakIsDue(state)) return { kind: 'soak' };
  return state.verified ? null : begin(state, look, proof);
}

function soakIsDue({ soak, policy }: RunState): boolean {
  return soak !== 'passed' && policy.soakSeconds > 0;
}

/** Gates and breaches that the decided step does not cure. A step may run while only what it cures is failing. */
function uncured({ gates, breaches }: RunState, next: NextMove): readonly GateVerdict[] {
  return [...breaches, ...gates].filter(
    ({ code }) => next.kind !== 'step' || !isCured(code, next.planned.step),
  );
}

/** A breach known only from the fence has no code here; the fence itself lets only the cure write. */
export function isCured(code: string, { cures, phase }: Step): boolean {
  return cures.includes(code) || (code === BREACH_IN_FENCE && phase === 'repair');
}

export const BREACH_IN_FENCE = 'CCM4023';

/** Only a measured failure triggers a rollback; what could not be measured holds the run. */
function onUncured(state: RunState, verdicts: readonly [GateVerdict, ...GateVerdict[]]): Decided {
  const failed = verdicts.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > 0 && state.policy.onBreach === 'rollBack' && state.target === 'ccm') {
    const codes = failed.map(({ gate, code }) => `${gate} (${code})`).join(', ');
    const mandate = { actor: 'policy onBreach', reason: codes };
    return { kind: 'turned', state: turnTo(state, 'kcm', mandate, 'rolled back') };
  }
  return { kind: 'held', trouble: gatesTrouble(verdicts) };
}
