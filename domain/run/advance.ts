import type { PlannedStep } from '../decision/run-decision.js';
import { holdsRun, type GateVerdict } from '../gates/verdicts.js';
import { givesWay, isPaused } from './alert-pauses.js';
import { applyQueue, enqueue, refuseQueue } from './apply-commands.js';
import { applyOrders, disturbs } from './apply-orders.js';
import { isKnown } from './begin-run.js';
import { type QueuedOrder, withTies } from './fleet-ties.js';
import { afterBreach, afterGuard, reopened, undisturbed } from './guard-events.js';
import { failureActor } from './holds.js';
import { answered } from './approvals.js';
import type { OperatorCommand } from './operator-command.js';
import { afterTurnDue, withPendingTurn } from './pending-turn.js';
import {
  withChange,
  withCheck,
  withFence,
  withObservation,
  withReport,
  withSoak,
} from './reports.js';
import { failureFindings, stepSubject } from './run-findings.js';
import type {
  Attempts,
  HoldReason,
  QueuedCommand,
  RunEvent,
  RunFailure,
  RunState,
  Transition,
} from './run-state.js';
import { heldByFailure } from './turning-holds.js';
import { BREACH_IN_FENCE, MAX_TRIES, hasStepped, resumeLoop } from './resume-loop.js';

/**
 * The loop of a run as a pure function: an event comes in, the next command comes out. The workflow, rehearsals and the fault
 * matrix share it. Activity events must belong to the activity in flight. It interprets decisions that were made with the
 * observation and makes none itself.
 */
export function advance(state: RunState, event: RunEvent): Transition {
  const { state: after, command } = step(state, event);
  const next = { state: withPendingTurn(after), command };
  return next.command.kind === 'finish' ? { ...next, state: withRefusedQueue(next.state) } : next;
}

function withRefusedQueue(state: RunState): RunState {
  return { ...state, commands: refuseQueue(state.commands) };
}

function step(state: RunState, event: RunEvent): Transition {
  switch (event.kind) {
    case 'started':
      return resumeLoop(state);
    case 'checked':
      return resumeLoop(withCheck(state, event.report));
    case 'fenceTaken':
      return resumeLoop(withFence(state, event));
    case 'observed':
      return resumeLoop(withObservation(state, event.observed));
    case 'changeSeen':
      return resumeLoop(withChange(state, event.change));
    case 'rested':
      return resumeLoop({ ...state, pending: { ...state.pending, restMs: 0 } });
    case 'stepFinished':
      return resumeLoop(withReport(state, event.report));
    case 'soakFinished':
      return onSoak(state, withSoak(state, event.report));
    case 'activityFailed':
      return resumeLoop(afterFailure(state, event.failure));
    case 'commandReceived':
      return onCommand(state, received(event));
    case 'commandMalformed':
    case 'commandRefused':
    case 'commandUnheard':
      return undisturbed(refusedAtOnce(state, event));
    case 'orderReceived':
      return onOrder(state, queuedOrder(event));
    case 'cancelled':
      return onCommand(state, CANCELLATION);
    case 'guardBreach':
      return afterBreach(state, event.verdict);
    case 'guardEnded':
      return afterGuard(state, event.why);
    case 'turnDue':
      return afterTurnDue(state, event.sinceMs);
    case 'guardSilent':
      return resumeLoop(reopened(state));
  }
}

/** Cancelling the workflow stops the run at its next safe point. It never starts a rollback. */
const CANCELLATION: OperatorCommand = {
  commandId: 'temporal-cancellation',
  verb: 'stop',
  arguments: {},
  actor: 'temporal',
  reason: 'the workflow was cancelled',
  ticket: '',
};

/** A soak interrupted by a command still reports its progress; whatever replaced it continues. */
function onSoak(before: RunState, after: RunState): Transition {
  return before.inFlight.kind === 'soaking' ? resumeLoop(after) : undisturbed(after);
}

function received({
  kind: _kind,
  command,
  atMs,
  ...as
}: Extract<RunEvent, { kind: 'commandReceived' }>): QueuedCommand {
  return { ...command, ...(atMs === undefined ? {} : { receivedAtMs: atMs }), ...as };
}

function onCommand(state: RunState, command: QueuedCommand): Transition {
  if (isKnown(state.commands, command.commandId)) return undisturbed(state);
  const commands = enqueue(state.commands, command, pendingText(command, state));
  const queued: RunState = { ...state, commands };
  if (state.inFlight.kind === 'ended') return undisturbed(withRefusedQueue(queued));
  return isSafePoint(state) ? atOnce(queued, command) : undisturbed(queued);
}

/**
 * Activities that change nothing, or have not started, are cancelled so that a command can apply: waits, soaks, observations
 * and fence requests. Recovery from a failed step still comes first.
 */
function isSafePoint({ inFlight, pending }: RunState): boolean {
  return inFlight.kind !== 'stepping' && inFlight.kind !== 'idle' && !pending.recovery;
}

/** A refused command leaves the current wait untouched, and so does a pause that holds nothing. */
function atOnce(queued: RunState, { commandId, verb }: OperatorCommand): Transition {
  const after = applyQueue(queued);
  const isRefused = after.commands.answers[commandId]?.state === 'refused';
  const holdsNothing = verb === 'pause' && !isPaused(after);
  return isRefused || holdsNothing ? undisturbed(after) : resumeLoop(after);
}

function pendingText(command: QueuedCommand, { inFlight, direction }: RunState): string {
  const { verb } = command;
  const pauses = verb === 'pause' && !givesWay(command, direction);
  const doing = pauses ? 'pausing' : `${verb} waits`;
  return inFlight.kind === 'stepping'
    ? `${doing}: ${stepSubject(inFlight.planned.step)} is in flight`
    : `${doing}: at the next safe point`;
}

type UnreceivedCommand = Extract<
  RunEvent,
  { readonly kind: 'commandMalformed' | 'commandRefused' | 'commandUnheard' }
>;

function refusedAtOnce(state: RunState, event: UnreceivedCommand): RunState {
  const { commands } = state;
  const { commandId } = event;
  if (commandId === '' || isKnown(commands, commandId)) return state;
  const answer = { state: 'refused', detail: whyRefused(event) } as const;
  return { ...state, commands: answered(commands, commandId, answer) };
}

function whyRefused(event: UnreceivedCommand): string {
  switch (event.kind) {
    case 'commandMalformed':
      return `malformed: ${event.problem}`;
    case 'commandRefused':
      return `CCM4035: ${event.why}`;
    case 'commandUnheard':
      return 'the run ended before a worker had said who signed it; it had no effect';
  }
}

function queuedOrder({
  message,
  isBound,
  yields,
}: Extract<RunEvent, { kind: 'orderReceived' }>): QueuedOrder {
  return {
    ...message,
    ...(isBound === true ? { isBound } : {}),
    ...(yields === undefined ? {} : { yields }),
  };
}

/** An order without effect leaves the current activity untouched. */
function onOrder(state: RunState, message: QueuedOrder): Transition {
  if (state.inFlight.kind === 'ended') return undisturbed(state);
  const queued = withTies(state, { orders: [...state.membership.orders, message] });
  if (!isSafePoint(state)) return undisturbed(queued);
  const after = applyOrders(queued);
  return disturbs(queued, after) ? resumeLoop(after) : undisturbed(after);
}

/**
 * What a failed activity means. Unless it is proven that a step never ran, its outcome is unknown: it may have happened, or
 * still be happening. Reads change nothing, so their failure only holds the run.
 */
function afterFailure(state: RunState, failure: RunFailure): RunState {
  const { type, message } = failure;
  const lastFailure = { whoActs: failureActor(type), text: `${type}: ${message}` };
  const said: RunState = { ...state, problems: { ...state.problems, lastFailure } };
  const { inFlight } = state;
  if (inFlight.kind === 'stepping') {
    return failure.neverRan
      ? afterNothing(said, inFlight.planned, failure)
      : afterStep(said, inFlight.planned.key, failure);
  }
  if (inFlight.kind === 'soaking' && type === 'FenceLost') {
    return afterLostSoak(said, failure);
  }
  // An ended run has no activity left that could fail, and a waiting one keeps waiting.
  return {
    ...troubled(said, failure),
    pending: { ...said.pending, recovery: false, observed: true },
  };
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
  const { byDecision } = state.attempts;
  const unserved = state.attempts.unserved + 1;
  const findings = failureFindings(failure, state.inFlight);
  const restMs =
    unserved === 1 ? 0 : Math.min(SHORTEST_REST_MS * 2 ** (unserved - 2), LONGEST_REST_MS);
  return {
    ...state,
    problems: { ...state.problems, holdReason: { kind: 'unserved', findings } },
    attempts: {
      ...state.attempts,
      unserved,
      // The counted attempt never ran, so it does not count.
      byDecision: { ...byDecision, [attempt]: Number(byDecision[attempt]) - 1 },
    },
    pending: { ...state.pending, observed: true, restMs },
  };
}

/** Workers were gone longer than the fence is valid. A soak changes nothing, so it continues under a new fence. */
function afterLostSoak(state: RunState, failure: RunFailure): RunState {
  const pending = { ...state.pending, fence: true, observed: true };
  const attempts = failedAgain(state.attempts, SOAK);
  const counted: RunState = { ...state, attempts, pending };
  return attempts.failures.count < MAX_TRIES ? counted : troubled(counted, failure);
}

/** Counts consecutive failures of the same step, including this one. */
function failedAgain(attempts: Attempts, step: string): Attempts {
  const { failures } = attempts;
  const count = failures.step === step ? failures.count + 1 : 1;
  return { ...attempts, failures: { step, count } };
}

function afterStep(state: RunState, key: string, failure: RunFailure): RunState {
  const { problems, membership } = state;
  // A gate that was closed when the step looked stopped it before it wrote.
  const mayHaveWritten = membership.mayHaveWritten || failure.type !== 'GateFailed';
  const unsafe: RunState = {
    ...withTies(state, { mayHaveWritten }),
    attempts: failedAgain(state.attempts, key),
    pending: { ...state.pending, recovery: true, fence: true, observed: true },
  };
  const verdicts = verdictsOf(failure).filter(holdsRun);
  if (verdicts.length > 0) {
    const breaches = withVerdicts(problems.breaches, verdicts);
    return { ...unsafe, problems: { ...problems, breaches } };
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
  if (state.problems.holdReason?.kind === 'fatal') return state;
  const findings = failureFindings(failure, state.inFlight);
  const holdReason: HoldReason = isFatal(state, failure)
    ? { kind: 'fatal', findings, failure }
    : heldByFailure(state, { kind: 'failure', whoActs: failureActor(failure.type), findings });
  return { ...state, problems: { ...state.problems, holdReason } };
}

/**
 * A bug of ours ends a run only before its first change. In the middle of a migration the run holds instead: guard and fence
 * stay, so that no other run writes and the hold is visible.
 */
function isFatal({ done, attempts }: RunState, { whoActs, type }: RunFailure): boolean {
  if (type === 'AlreadyRunning' || type === 'ClusterMismatch') return true;
  const untouched = !hasStepped(done) && Object.keys(attempts.byDecision).length === 0;
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
