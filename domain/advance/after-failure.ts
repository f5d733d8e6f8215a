import type { PlannedStep } from '../decision/run-decision.js';
import type { GateVerdict } from '../gates.js';
import { BREACH_IN_FENCE, MAX_TRIES } from './decide.js';
import { failureActor } from './holds.js';
import { failureFindings } from './run-findings.js';
import type { RunFailure, RunState } from './run-state.js';

/**
 * What a failed activity means. A step's outcome is unknown then: it may have happened, or still be happening; unless
 * it is proven that it never ran. Reads change nothing, so they only hold the run.
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
  // A run that ended can have no failed activity left, and one that waits goes on waiting.
  return { ...troubled(said, failure), recovering: false, due: { ...said.due, look: true } };
}

const SOAK = 'soak';
const SHORTEST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;

/**
 * Nobody took the step, or nothing could be written: the cluster is as it was, so this is a safe point and the epoch
 * stays. The observation before the next attempt waits for a worker without any history; only where it is served and
 * the step is not do pauses grow.
 */
function afterNothing(state: RunState, { attempt }: PlannedStep, failure: RunFailure): RunState {
  const unserved = state.unserved + 1;
  const restMs =
    unserved === 1 ? 0 : Math.min(SHORTEST_REST_MS * 2 ** (unserved - 2), LONGEST_REST_MS);
  return {
    ...state,
    unserved,
    // What was counted as an attempt was none.
    tries: { ...state.tries, [attempt]: Number(state.tries[attempt]) - 1 },
    trouble: { kind: 'unserved', findings: failureFindings(failure, state.activity) },
    due: { ...state.due, look: true, restMs },
  };
}

/** Its workers were away longer than the fence lives: a soak changes nothing, so it goes on under a new fence. */
function afterLostSoak(state: RunState, failure: RunFailure): RunState {
  const due = { ...state.due, fence: true, look: true };
  const counted: RunState = { ...state, failures: failedAgain(state, SOAK), due };
  return counted.failures.count < MAX_TRIES ? counted : troubled(counted, failure);
}

/** Failures in a row of one thing, this one with them. */
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
 * A new fence and a fresh observation are the whole cure of a lost renewal or a moved cluster; a fence that
 * somebody else holds is not given again, so repeating is safe.
 */
function mayRepeat({ type, whoActs }: RunFailure): boolean {
  return whoActs === 'retry' || type === 'FenceLost' || type === 'PreconditionFailed';
}

/** A breach or gate that stopped a step counts as measured: policy decides whether it holds or rolls back. */
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
 * A mistake of ours ends a run only before its first change. In the middle of a migration it holds: guard and fence
 * stay, so that nobody else writes and everybody sees it.
 */
function isFatal({ steps, earlier, tries }: RunState, { whoActs, type }: RunFailure): boolean {
  if (type === 'AlreadyRunning' || type === 'ClusterMismatch') return true;
  const untouched = steps.length + earlier.steps === 0 && Object.keys(tries).length === 0;
  return (whoActs === 'refuse' || whoActs === 'bug') && untouched;
}

/** What the guard has told by itself is not told again by the step that it stopped. */
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
