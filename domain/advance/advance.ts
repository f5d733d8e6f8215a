import type { GateVerdict } from '../gates.js';
import type { Step } from '../step.js';
import { answered } from './answers.js';
import { applyQueue, enqueue, refuseQueue } from './apply-commands.js';
import { afterFailure } from './after-failure.js';
import { isCured } from './decide.js';
import { guardFindings, nodeOf, stepSubject } from './run-findings.js';
import { RUN_RULES, type RunRules } from './run-rules.js';
import type {
  Activity,
  RunEvent,
  RunLook,
  RunReport,
  RunSoak,
  RunState,
  StepRecord,
  Transition,
} from './run-state.js';
import { settle } from './settle.js';
import type { OperatorCommand } from './operator-command.js';

/** How often the fence is taken anew because the guard ended, before a person has to look. */
const MAX_GUARD_LOSSES = 3;

/**
 * The loop of a run as a pure function: what happened, and what to do now. The workflow, rehearsals and the fault
 * matrix run the same one. Events of an activity are only given for the one in flight.
 */
export function advance(state: RunState, event: RunEvent, rules: RunRules = RUN_RULES): Transition {
  const next = step(state, event, rules);
  return next.command.kind === 'finish' ? { ...next, state: refuseQueue(next.state) } : next;
}

function step(state: RunState, event: RunEvent, rules: RunRules): Transition {
  switch (event.kind) {
    case 'started':
      return settle(state, rules);
    case 'fenceTaken':
      return settle({ ...state, epoch: event.epoch, due: { ...state.due, fence: false } }, rules);
    case 'looked':
      return settle(withLook(state, event.look), rules);
    case 'changeSeen':
      return settle({ ...withLook(state, event.look), waits: state.waits + 1 }, rules);
    case 'stepFinished':
      return settle(withReport(state, event.report), rules);
    case 'soakFinished':
      return settle(withSoak(state, event.report), rules);
    case 'activityFailed':
      return settle(afterFailure(state, event.failure), rules);
    case 'commandReceived':
      return onCommand(state, event.command, rules);
    case 'commandMalformed':
      return goes(onMalformed(state, event.commandId, event.problem));
    case 'cancelled':
      return onCommand(state, CANCELLATION, rules);
    case 'guardBreach':
      return onBreach(state, event.verdict, rules);
    case 'guardEnded':
      return onGuardEnded(state, event.why, rules);
  }
}

/** What a cancellation of the workflow means: to the safe point, and no further. Never a rollback. */
const CANCELLATION: OperatorCommand = {
  commandId: 'temporal-cancellation',
  verb: 'stop',
  arguments: {},
  actor: 'temporal',
  reason: 'the workflow was cancelled',
  ticket: '',
};

function onCommand(state: RunState, command: OperatorCommand, rules: RunRules): Transition {
  if (Object.hasOwn(state.answers, command.commandId)) return goes(state);
  const queued = enqueue(state, command, pendingWords(command, state.activity));
  if (state.activity.kind === 'ended') return goes(refuseQueue(queued));
  return isSafePoint(state.activity) ? atOnce(queued, command, rules) : goes(queued);
}

/** A wait and a soak change nothing, so commands need not wait for their end. */
function isSafePoint(activity: Activity): boolean {
  return activity.kind === 'held' || (activity.kind === 'soaking' && activity.soakMs > 0);
}

/** A refused command leaves what is awaited as it is. */
function atOnce(queued: RunState, { commandId }: OperatorCommand, rules: RunRules): Transition {
  const after = applyQueue(queued, rules);
  return after.answers[commandId]?.state === 'refused' ? goes(after) : settle(after, rules);
}

function pendingWords({ verb }: OperatorCommand, activity: Activity): string {
  const doing = verb === 'pause' ? 'pausing' : `${verb} waits`;
  return activity.kind === 'stepping'
    ? `${doing}: ${stepSubject(activity.step)} is in flight`
    : `${doing}: at the next safe point`;
}

function onMalformed(state: RunState, commandId: string, problem: string): RunState {
  if (commandId === '' || Object.hasOwn(state.answers, commandId)) return state;
  return answered(state, commandId, { state: 'refused', detail: `malformed: ${problem}` });
}

function onBreach(state: RunState, verdict: GateVerdict, rules: RunRules): Transition {
  const { activity } = state;
  if (activity.kind === 'ended') return goes(state);
  if (activity.kind === 'stepping' && isCured(verdict.code, activity.step)) {
    // Cured by the step in flight, but it stands in the fence: only a fence taken anew lets the next step write.
    return goes({ ...state, due: { ...state.due, fence: true } });
  }
  const known = state.breaches.some(
    ({ gate, code }) => gate === verdict.gate && code === verdict.code,
  );
  if (known) return goes(state);
  const breached: RunState = { ...state, breaches: [...state.breaches, verdict] };
  const mayDecide =
    activity.kind === 'soaking' || (activity.kind === 'held' && state.trouble?.kind === 'blocked');
  return mayDecide ? settle(breached, rules) : goes(breached);
}

/** Without its guard a run may not write: the fence is taken anew, which also starts a new guard. */
function onGuardEnded(state: RunState, why: string, rules: RunRules): Transition {
  if (state.activity.kind === 'ended') return goes(state);
  const guardLosses = state.guardLosses + 1;
  const lost: RunState = { ...state, guardLosses, due: { ...state.due, fence: true } };
  const next: RunState =
    guardLosses > MAX_GUARD_LOSSES
      ? { ...lost, trouble: { kind: 'failure', findings: guardFindings(why) } }
      : lost;
  return state.activity.kind === 'held' ? settle(next, rules) : goes(next);
}

function withLook(state: RunState, look: RunLook): RunState {
  const since = state.since ?? look.observation.inventory;
  return { ...state, look, since, due: { ...state.due, look: false } };
}

function withReport(state: RunState, report: RunReport): RunState {
  if (state.activity.kind !== 'stepping') return state;
  const { step: done } = state.activity;
  const { observation, sightings } = report;
  const record = recordOf(done, report);
  const seen = withLook(state, { observation, sightings });
  const breaches = state.breaches.filter(({ code }) => !isCured(code, done));
  return {
    ...seen,
    // A breach that was cured still stands in the fence until the fence is taken anew.
    due: { ...seen.due, fence: seen.due.fence || breaches.length < state.breaches.length },
    breaches,
    steps: [...state.steps, record],
    failures: { step: '', count: 0 },
    gates: failing(report.verdicts),
    soak: keepsSoak(done) ? state.soak : 'due',
    verified: done.phase === 'verify' || (keepsSoak(done) && state.verified),
  };
}

function recordOf(done: Step, { summary }: RunReport): StepRecord {
  return {
    name: done.name,
    phase: done.phase,
    node: nodeOf(done),
    detail: summary.detail,
    durationMs: summary.durationMs,
    orphanMs: summary.orphanMs,
  };
}

/** What follows soak and verification does not ask for others. */
function keepsSoak({ phase }: Step): boolean {
  return phase === 'disableLeaderMigration' || phase === 'verify';
}

function withSoak(state: RunState, { observation, sightings, verdicts }: RunSoak): RunState {
  const gates = failing(verdicts);
  const full = state.activity.kind === 'soaking' && state.activity.soakMs > 0;
  const seen = withLook(state, { observation, sightings });
  return {
    ...seen,
    gates,
    due: { ...seen.due, measure: false },
    failures: { step: '', count: 0 },
    soak: full ? (gates.length === 0 ? 'passed' : 'failed') : state.soak,
  };
}

/** What did not pass; nothing measured is not a pass either. */
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

function goes(state: RunState): Transition {
  return { state, command: { kind: 'continue' } };
}
