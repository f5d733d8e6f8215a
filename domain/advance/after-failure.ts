import type { GateVerdict } from '../gates.js';
import { BREACH_IN_FENCE, MAX_TRIES, stepKey } from './decide.js';
import { failureFindings } from './run-findings.js';
import type { RunFailure, RunState } from './run-state.js';

/**
 * What a failed activity means. A step's outcome is unknown then: it may have happened, or still be happening.
 * Reads change nothing, so they only hold the run (their own retries are over by now).
 */
export function afterFailure(state: RunState, failure: RunFailure): RunState {
  const said: RunState = { ...state, lastFailure: `${failure.type}: ${failure.message}` };
  if (state.activity.kind === 'stepping') return afterStep(said, state.activity, failure);
  if (state.activity.kind === 'soaking' && failure.type === 'FenceLost') {
    return afterLostSoak(said, failure);
  }
  return { ...troubled(said, failure), recovering: false, due: { ...said.due, look: true } };
}

const SOAK = 'soak';

/** Its workers were away longer than the fence lives: a soak changes nothing, so it begins anew under a fence taken anew. */
function afterLostSoak(state: RunState, failure: RunFailure): RunState {
  const due = { ...state.due, fence: true, look: true };
  const counted: RunState = { ...state, failures: failedAgain(state, SOAK), due };
  return counted.failures.count < MAX_TRIES ? counted : troubled(counted, failure);
}

/** Failures in a row of one thing, this one with them. */
function failedAgain({ failures }: RunState, step: string): RunState['failures'] {
  return { step, count: failures.step === step ? failures.count + 1 : 1 };
}

function afterStep(
  state: RunState,
  { step }: Extract<RunState['activity'], { kind: 'stepping' }>,
  failure: RunFailure,
): RunState {
  const key = stepKey(step);
  const unsafe: RunState = {
    ...state,
    recovering: true,
    failures: failedAgain(state, key),
    due: { ...state.due, fence: true, look: true },
  };
  const verdict = verdictOf(failure);
  if (verdict !== null) return { ...unsafe, breaches: withVerdict(unsafe.breaches, verdict) };
  return mayRepeat(failure) ? unsafe : troubled(unsafe, failure);
}

/**
 * The fence taken anew and a fresh look are the whole cure of a lost renewal or a moved cluster; a fence that
 * somebody else holds is not given again, so repeating is safe.
 */
function mayRepeat({ type, whoActs }: RunFailure): boolean {
  return whoActs === 'retry' || type === 'FenceLost' || type === 'PreconditionFailed';
}

/** A breach or gate that stopped a step counts as measured: policy decides whether it holds or rolls back. */
function verdictOf({ type, message }: RunFailure): GateVerdict | null {
  if (type !== 'Breach' && type !== 'GateFailed') return null;
  return {
    gate: type === 'Breach' ? 'guard' : 'step',
    hardness: 'hard',
    verdict: 'fail',
    detail: message,
    code: type === 'Breach' ? BREACH_IN_FENCE : 'CCM4103',
  };
}

function troubled(state: RunState, failure: RunFailure): RunState {
  if (state.trouble?.kind === 'fatal') return state;
  const findings = failureFindings(failure, state.activity);
  return failure.whoActs === 'refuse' || failure.whoActs === 'bug'
    ? { ...state, trouble: { kind: 'fatal', findings, failure } }
    : { ...state, trouble: { kind: 'failure', findings } };
}

/** What the guard has told by itself is not told again by the step that it stopped. */
function withVerdict(known: readonly GateVerdict[], verdict: GateVerdict): readonly GateVerdict[] {
  const told = verdict.code === BREACH_IN_FENCE && known.length > 0;
  return told ? known : [...known, verdict];
}
