import type { PlannedStep } from '../decision/run-decision.js';
import type { GateVerdict } from '../gates.js';
import { BREACH_IN_FENCE, MAX_TRIES } from './decide.js';
import { failureActor } from './holds.js';
import { failureFindings } from './run-findings.js';
import type { RunFailure, RunState } from './run-state.js';

/**
 * What a failed activity means. Unless it is proven that a step never ran, its outcome is unknown: it may have happened, or
 * still be happening. Reads change nothing, so their failure only holds the run.
 */
export function afterFailure(state: RunState, failure: RunFailure): RunState {
  const { type, message } = failure;
  const lastFailure = { whoActs: failureActor(type), text: `${type}: ${message}` };
  const said: RunState = { ...state, lastFailure };
  const { activity } = state;
  if (activity.kind === 'stepping') {
    return failure.neverRan
      ? afterNothing(said, activity.planned, failure)
      : afterStep(said, activity.planned.key, failure);
  }
  if (activity.kind === 'soaking' && type === 'FenceLost') {
    return afterLostSoak(said, failure);
  }
  // An ended run has no activity left that could fail, and a waiting one keeps waiting.
  return { ...troubled(said, failure), recovering: false, due: { ...said.due, look: true } };
}

const SOAK = 'soak';
const SHORTEST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;

/**
 * No worker took the step, or nothing could be written: the cluster is unchanged, so this is a safe point and the epoch
 * stays. The observation before the next attempt waits for a worker without adding history events; the pause grows only when
 * a worker serves the observation but not the step.
 */
function afterNothing(state: RunState, { attempt }: PlannedStep, failure: RunFailure): RunState {
  const unserved = state.unserved + 1;
  const restMs =
    unserved === 1 ? 0 : Math.min(SHORTEST_REST_MS * 2 ** (unserved - 2), LONGEST_REST_MS);
  return {
    ...state,
    unserved,
    // The counted attempt never ran, so it does not count.
    tries: { ...state.tries, [attempt]: Number(state.tries[attempt]) - 1 },
    trouble: { kind: 'unserved', findings: failureFindings(failure, state.activity) },
    due: { ...state.due, look: true, restMs },
  };
}

/** Workers were gone longer than the fence is valid. A soak changes nothing, so it continues under a new fence. */
function afterLostSoak(state: RunState, failure: RunFailure): RunState {
  const due = { ...state.due, fence: true, look: true };
  const counted: RunState = { ...state, failures: failedAgain(state, SOAK), due };
  return counted.failures.count < MAX_TRIES ? counted : troubled(counted, failure);
}

/** Consecutive failures of the same step, including this one. */
function failedAgain({ failures }: RunState, step: string): RunState['failures'] {
  return { step, count: failures.step === step ? failures.count + 1 : 1 };
}

function afterStep(state: RunState, key: string, failure: RunFailure): RunState {
  const unsafe: RunState = {
    ...state,
    recovering: true,
    failures: failedAgain(state, key),
    due: { ...state.due, fence: true, look: true },
  };
  const verdicts = verdictsOf(failure);
  if (verdicts.length > 0) {
    return { ...unsafe, breaches: withVerdicts(unsafe.breaches, verdicts) };
  }
  return mayRepeat(failure) ? unsafe : troubled(unsafe, failure);
}

/**
 * A new fence and a fresh observation are enough after a lost renewal or a moved cluster. A fence that another run holds is
 * never granted again, so repeating is safe.
 */
function mayRepeat({ type, whoActs }: RunFailure): boolean {
  return whoActs === 'retry' || type === 'FenceLost' || type === 'PreconditionFailed';
}

/** A breach or gate that stopped a step counts as measured: policy decides between hold and rollback. */
function verdictsOf({ type, message, verdicts }: RunFailure): readonly GateVerdict[] {
  if (type !== 'Breach' && type !== 'GateFailed') return [];
  if (verdicts.length > 0) return verdicts;
  return [
    {
      gate: type === 'Breach' ? 'guard' : 'step',
      hardness: 'hard',
      verdict: 'fail',
      detail: message,
      code: type === 'Breach' ? BREACH_IN_FENCE : 'CCM4103',
    },
  ];
}

function troubled(state: RunState, failure: RunFailure): RunState {
  if (state.trouble?.kind === 'fatal') return state;
  const findings = failureFindings(failure, state.activity);
  return isFatal(state, failure)
    ? { ...state, trouble: { kind: 'fatal', findings, failure } }
    : { ...state, trouble: { kind: 'failure', whoActs: failureActor(failure.type), findings } };
}

/**
 * A bug of ours ends a run only before its first change. In the middle of a migration the run holds instead: guard and fence
 * stay, so that no other run writes and the hold is visible.
 */
function isFatal({ steps, earlier, tries }: RunState, { whoActs, type }: RunFailure): boolean {
  if (type === 'AlreadyRunning' || type === 'ClusterMismatch') return true;
  const untouched = steps.length + earlier.steps === 0 && Object.keys(tries).length === 0;
  return (whoActs === 'refuse' || whoActs === 'bug') && untouched;
}

/** A breach that the guard already reported is not reported again by the step it stopped. */
function withVerdicts(
  known: readonly GateVerdict[],
  verdicts: readonly GateVerdict[],
): readonly GateVerdict[] {
  const more = verdicts.filter(
    ({ code, gate }) =>
      !(code === BREACH_IN_FENCE && known.length > 0) &&
      !known.some((each) => each.gate === gate && each.code === code),
  );
  return [...known, ...more];
}
