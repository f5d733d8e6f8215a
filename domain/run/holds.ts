import { FAILURES, type FailureType } from '../failures.js';
import { type GateVerdict, deepestCause } from '../gates/verdicts.js';
import type { Target } from '../vocabulary.js';
import { gateFindings } from './run-findings.js';
import type { HoldActor, RunCommand, RunState, Trouble, WaitGoal } from './run-state.js';

/**
 * Gates whose measured failure may pass without intervention: a node or etcd member returns, a manager's back-off after an
 * outage ends, a slow election completes. Lost addresses and Nodes, and two owners that no repair can end, need a person.
 */
const PASSES_BY_ITSELF: ReadonlySet<string> = new Set([
  'CCM3002',
  'CCM3003',
  'CCM3004',
  'CCM3005',
  'CCM4023',
]);

/** Failures that only mean that the environment was unreachable, slow or still changing. */
const ENVIRONMENT: ReadonlySet<FailureType> = new Set<FailureType>([
  'Throttled',
  'Unavailable',
  'Unreachable',
  'Timeout',
  'Conflict',
  'PreconditionFailed',
  'FenceLost',
  'Breach',
  'NoProof',
  'EffectNotSeen',
]);

/** Who has to act before a gate passes again. A gate that could not be measured waits until it can be. */
function gateActor({ verdict, code }: GateVerdict): HoldActor {
  if (verdict !== 'fail') return 'environment';
  return PASSES_BY_ITSELF.has(code) ? 'environment' : 'person';
}

/** The environment only when every cause lies with it. */
function gatesActor(verdicts: readonly GateVerdict[]): HoldActor {
  return verdicts.every((verdict) => gateActor(verdict) === 'environment')
    ? 'environment'
    : 'person';
}

/** A hold for gates and breaches, root cause first. */
export function gatesTrouble(verdicts: readonly [GateVerdict, ...GateVerdict[]]): Trouble {
  return {
    kind: 'gates',
    whoActs: gatesActor(verdicts),
    findings: gateFindings(deepestCause(verdicts)),
    codes: [...new Set(verdicts.map(({ code }) => code))],
  };
}

/** Who has to act after an activity failed permanently. */
export function failureActor(type: FailureType): HoldActor {
  return FAILURES[type] === 'retry' || ENVIRONMENT.has(type) ? 'environment' : 'person';
}

/** Whether a hold ends by itself. */
export function heals(trouble: Trouble): boolean {
  if ('whoActs' in trouble) return trouble.whoActs === 'environment';
  return trouble.kind === 'blocked' || trouble.kind === 'unserved';
}

/** What a hold waits for. */
export function holdCommand(state: RunState): RunCommand {
  const { trouble, waits } = state;
  return trouble !== null && heals(trouble)
    ? { kind: 'awaitChange', goal: goalOf(state, trouble), waits }
    : { kind: 'awaitCommand' };
}

function goalOf({ look, heals: before }: RunState, trouble: Trouble): WaitGoal {
  if (trouble.kind === 'unserved') return { kind: 'guarded' };
  if (trouble.kind === 'blocked' && look !== null) {
    return { kind: 'decision', signature: look.decision.signature };
  }
  return { kind: 'healed', heals: before, codes: trouble.kind === 'gates' ? trouble.codes : [] };
}

/**
 * The cause of a hold has passed: gates are measured again and steps may be retried. Breaches are gone because the guard
 * removed them from the fence; nothing is acknowledged.
 */
export function healed(state: RunState): RunState {
  const measured = state.gates.length > 0;
  return {
    ...forgetTries(state),
    heals: state.heals + 1,
    trouble: null,
    gates: [],
    breaches: [],
    soak: state.soak === 'failed' ? 'due' : state.soak,
    verified: state.verified && !measured,
    due: { ...state.due, measure: state.due.measure || measured },
  };
}

/** A new direction: measurements, waivers and approvals of the old one no longer count. */
export function turnTo(
  state: RunState,
  target: Target,
  mandate: RunState['mandate'],
  words: string,
): RunState {
  return {
    ...forgetTries(state),
    target,
    revision: state.revision + 1,
    because: `${words} by ${mandate.actor}: ${mandate.reason}`,
    mandate,
    trouble: null,
    objections: [],
    gates: [],
    breaches: [],
    approvals: [],
    waivers: [],
    soak: 'due',
    soakProgress: null,
    verified: false,
    // A change of direction acknowledges the recorded breaches: otherwise a rollback could not start.
    due: {
      ...{ ...state.due, plan: true, fence: true, acknowledge: true },
      ...{ restMs: 0, look: true, measure: false },
    },
  };
}

/** After an operator command every step may be tried again. */
export function forgetTries(state: RunState): RunState {
  return {
    ...state,
    tries: {},
    failures: { step: '', count: 0 },
    guardLosses: 0,
    unserved: 0,
    heals: 0,
    waits: 0,
  };
}
