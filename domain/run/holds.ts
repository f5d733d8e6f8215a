import { FAILURES, type FailureType } from '../failures.js';
import { isSoftCode } from '../gates/soft-codes.js';
import { type GateVerdict, deepestCause } from '../gates/verdicts.js';
import { keptProbes, probesStillDone } from './probes-due.js';
import type { Target } from '../vocabulary.js';
import { NOT_PROVEN, NO_ATTEMPTS, NO_PROBLEMS } from './cleared-parts.js';
import { gateFindings } from './run-findings.js';
import type {
  HoldActor,
  HoldReason,
  NextAction,
  Proofs,
  Requester,
  RunState,
  WaitGoal,
} from './run-state.js';

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

/**
 * While policy gives a hold its time, a gate that the guard watches may recover and end it. Without a time, a person must know of
 * the harm before the run goes on.
 */
function turningGateActor(verdict: GateVerdict): HoldActor {
  return isSoftCode(verdict.code) ? 'environment' : gateActor(verdict);
}

/** The environment only when every cause lies with it. */
function gatesActor(
  verdicts: readonly GateVerdict[],
  actorOf: (verdict: GateVerdict) => HoldActor,
): HoldActor {
  return verdicts.every((verdict) => actorOf(verdict) === 'environment') ? 'environment' : 'person';
}

/** A hold for gates and breaches, root cause first. */
export function gatesHoldReason(verdicts: readonly [GateVerdict, ...GateVerdict[]]): GatesHold {
  return {
    kind: 'gates',
    whoActs: gatesActor(verdicts, gateActor),
    findings: gateFindings(deepestCause(verdicts)),
    codes: [...new Set(verdicts.map(({ code }) => code))],
  };
}

/** Such a hold that policy ends with a rollback after so many ms. */
export function turningHoldReason(
  verdicts: readonly [GateVerdict, ...GateVerdict[]],
  turnsAfterMs: number,
): GatesHold {
  const whoActs = gatesActor(verdicts, turningGateActor);
  return { ...gatesHoldReason(verdicts), whoActs, turnsAfterMs };
}

/** A hold because of gates and breaches. */
export type GatesHold = Extract<HoldReason, { readonly kind: 'gates' }>;

/** Who has to act after an activity failed permanently. */
export function failureActor(type: FailureType): HoldActor {
  return FAILURES[type] === 'retry' || ENVIRONMENT.has(type) ? 'environment' : 'person';
}

/** Whether a hold ends by itself. */
export function heals(holdReason: HoldReason): boolean {
  if ('whoActs' in holdReason) return holdReason.whoActs === 'environment';
  return holdReason.kind === 'blocked' || holdReason.kind === 'unserved';
}

/** What a hold waits for. */
export function holdCommand(state: RunState): NextAction {
  const { holdReason } = state.problems;
  return holdReason !== null && heals(holdReason)
    ? { kind: 'awaitChange', goal: goalOf(state, holdReason), waitCount: state.attempts.waits }
    : { kind: 'awaitCommand' };
}

function goalOf({ observed, attempts }: RunState, holdReason: HoldReason): WaitGoal {
  if (holdReason.kind === 'unserved') return { kind: 'guarded' };
  if (holdReason.kind === 'blocked' && observed !== null) {
    return { kind: 'decision', signature: observed.decision.signature };
  }
  return {
    kind: 'healed',
    heals: attempts.heals,
    codes: holdReason.kind === 'gates' ? holdReason.codes : [],
  };
}

/**
 * The cause of a hold has passed: gates are measured again and steps may be retried. Breaches are gone because the guard
 * removed them from the fence; nothing is acknowledged.
 */
export function healed(state: RunState): RunState {
  const { problems, attempts, pending } = state;
  return {
    ...state,
    problems: { ...problems, ...NO_PROBLEMS },
    attempts: { ...NO_ATTEMPTS, heals: attempts.heals + 1 },
    proofs: stillProven(state),
    pending: { ...pending, measure: pending.measure || problems.gates.length > 0 },
  };
}

/** What stays proven when a hold ends: not the soak that failed, nor anything compared while a gate failed. */
export function stillProven({ proofs, problems }: RunState): Proofs {
  const { soak, soakProgress, verified, probes: _, ...others } = proofs;
  const isFailed = soak === 'failed';
  return {
    ...others,
    ...keptProbes(probesStillDone({ proofs, problems })),
    soak: isFailed ? 'pending' : soak,
    soakProgress: isFailed ? null : soakProgress,
    verified: verified && problems.gates.length === 0,
  };
}

/** Whether the cluster must be watched before it counts as proven. */
export function soakIsDue({ proofs, policy }: Pick<RunState, 'proofs' | 'policy'>): boolean {
  return proofs.soak !== 'passed' && policy.soakSeconds > 0;
}

/** A new direction: measurements, waivers and approvals of the old one no longer count. */
export function changeTarget(
  state: RunState,
  target: Target,
  requestedBy: Requester,
  words: string,
): RunState {
  const { direction, problems, proofs, pending } = state;
  const { probes } = proofs;
  const reason = `${words} by ${requestedBy.actor}: ${requestedBy.reason}`;
  return {
    ...state,
    direction: {
      ...{ target, reason, requestedBy, revision: direction.revision + 1 },
      ...{ planDigest: direction.planDigest, objections: [], waivers: [], approvals: [] },
    },
    problems: { ...problems, ...NO_PROBLEMS },
    attempts: NO_ATTEMPTS,
    proofs: { ...proofs, ...NOT_PROVEN, ...(probes && { probes: { ...probes, after: false } }) },
    // A change of direction acknowledges the recorded breaches: otherwise a rollback could not start.
    pending: {
      ...{ ...pending, plan: true, fence: true, acknowledge: true },
      ...{ restMs: 0, observed: true, measure: false },
    },
  };
}
