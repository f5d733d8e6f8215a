import { restingOn, spentAfter } from '../authority/direction-commands.js';
import type { Envelope } from '../authority/signed-envelope.js';
import type { Target } from '../vocabulary.js';
import { oneLine } from '../findings/plain-text.js';
import { givesWay, holdingBrakes, ownPause } from './alert-pauses.js';
import { automationIn, isAutomation, ruleOnAutomation } from './automation.js';
import { NO_ATTEMPTS, NO_PROBLEMS } from './cleared-parts.js';
import { withTies } from './fleet-ties.js';
import { changeTarget, stillProven } from './holds.js';
import { type Applied, answered, applied, approve, refused, reject, skip } from './approvals.js';
import type { OperatorCommand } from './operator-command.js';
import type { OperatorVerb } from './operator-verbs.js';
import type { Requester } from './who-asked.js';
import type { Commands, QueuedCommand, RunState } from './run-state.js';

type Application = (state: RunState, command: QueuedCommand) => Applied;

const APPLICATIONS: Readonly<Record<OperatorVerb, Application>> = {
  pause,
  resume,
  stop,
  retry,
  rollBack,
  rollForward,
  approve,
  reject,
  skip,
};

/** Remembers a command until the next safe point. */
export function enqueue(commands: Commands, command: QueuedCommand, detail: string): Commands {
  return {
    ...answered(commands, command.commandId, { state: 'pending', detail }),
    queue: [...commands.queue, command],
  };
}

/** Applies the queued commands in order. Only called at safe points. */
export function applyQueue(state: RunState): RunState {
  return state.commands.queue.reduce<RunState>(
    (before, command) => {
      const { state: after, answer } = applyOne(before, command);
      return { ...after, commands: answered(after.commands, command.commandId, answer) };
    },
    { ...state, commands: { ...state.commands, queue: [] } },
  );
}

function applyOne(state: RunState, command: QueuedCommand): Applied {
  if (state.operatorHold.kind === 'stop') return afterStop(state);
  if (isByAutomation(command)) return applyAutomated(state, command);
  const { state: after, answer } = withSignature(
    APPLICATIONS[command.verb](state, command),
    command,
  );
  const { actor, receivedAtMs: atMs, verb } = command;
  if (answer.state !== 'applied' || atMs === undefined || !GO_ON.has(verb)) {
    return { state: after, answer };
  }
  return {
    state: { ...after, commands: { ...after.commands, lastWord: { actor, atMs } } },
    answer,
  };
}

/** What its activities must find signed is kept with the direction. */
function withSignature({ state, answer }: Applied, { verb, signed }: OperatorCommand): Applied {
  if (answer.state !== 'applied' || signed === undefined) return { state, answer };
  const used = withSpent(state, signed);
  const effect = EFFECTS_ON_DIRECTION[verb];
  if (effect === undefined) return { state: used, answer };
  return { state: { ...used, signed: restingOn(state.signed ?? [], signed, effect) }, answer };
}

/** A signed command is followed once: the fleet's orders carry them, and anyone can send one again. */
export function withSpent(state: RunState, signed: Envelope | undefined): RunState {
  return signed === undefined ? state : { ...state, spent: spentAfter(state.spent, signed) };
}

const EFFECTS_ON_DIRECTION: Readonly<Partial<Record<OperatorVerb, 'turns' | 'allows'>>> = {
  rollBack: 'turns',
  rollForward: 'turns',
  approve: 'allows',
  skip: 'allows',
};

/** With these a person says that what was wrong has been looked at. */
const GO_ON: ReadonlySet<OperatorVerb> = new Set(['resume', 'retry', 'rollForward']);

/** What automation may do is decided here, where the run knows its policy, its age and who resumed it. */
function applyAutomated(state: RunState, command: QueuedCommand): Applied {
  if (command.alertOver !== undefined) return noteEnd(state, command.alertOver);
  const { policy, beganAtMs = null, commands } = state;
  const ruling = ruleOnAutomation(
    { policy: automationIn(policy), beganAtMs, lastWord: commands.lastWord ?? null },
    { verb: command.verb, alertSinceMs: command.alertSinceMs ?? null },
  );
  if (ruling.kind === 'refused') return refused(state, ruling.why);
  const { verb } = ruling;
  const { state: after, answer } = withSignature(APPLICATIONS[verb](state, command), {
    ...command,
    verb,
  });
  const detail = ruling.instead === '' ? answer.detail : `${ruling.instead}; ${answer.detail}`;
  return { state: after, answer: { ...answer, detail } };
}

/** A person resumes; that the alert is over may help to decide it. */
function noteEnd(
  state: RunState,
  { since, pauseId }: NonNullable<OperatorCommand['alertOver']>,
): Applied {
  const { operatorHold: hold } = state;
  if (hold.kind !== 'pause' || hold.commandId !== pauseId) {
    return refused(state, 'CCM4005: the run is not paused by this alert');
  }
  const note = `alert over since ${oneLine(since).slice(0, LONGEST_TIME)}`;
  const by = { ...hold.by, reason: `${hold.by.reason}; ${note}` };
  return applied({ ...state, operatorHold: { ...hold, by } }, `${note}; the run stays paused`);
}

/** A time as text; the longest has nanoseconds and an offset. */
const LONGEST_TIME = 40;

/** Answers the commands still pending when a run ends. */
export function refuseQueue(commands: Commands): Commands {
  return commands.queue.reduce<Commands>(
    (before, { commandId }) =>
      answered(before, commandId, { state: 'refused', detail: 'the run has ended' }),
    { ...commands, queue: [] },
  );
}

/** Whether automation sent it: by its name, or by the key that signed it. */
function isByAutomation({ actor, byAutomation }: QueuedCommand): boolean {
  return byAutomation === true || isAutomation(actor);
}

/** The first pause is kept, so that `status` names the person to ask; a person's takes the place of one that holds no rollback. */
function pause(state: RunState, command: QueuedCommand): Applied {
  const { operatorHold: before, direction } = state;
  const { actor, reason, commandId, yields } = command;
  const isAlert = isByAutomation(command);
  const kept =
    before.kind === 'pause' && (isAlert || before.yields === undefined) ? before.by : null;
  if (kept !== null) {
    const already = `it is paused already, by ${kept.actor}: ${kept.reason}`;
    return applied(state, ownPause(state) === null ? `${already}; ${ROLLS_BACK}` : already);
  }
  const mark = { ...(isAlert ? { commandId } : {}), ...(yields === undefined ? {} : { yields }) };
  return applied(
    { ...state, operatorHold: { kind: 'pause', by: { actor, reason }, ...mark } },
    givesWay(command, direction) ? ROLLS_BACK : 'paused: nothing is changed until resume',
  );
}

const ROLLS_BACK =
  'the run is rolling back, which no alert holds up; turned forward, it would be paused until resume';

function resume(state: RunState): Applied {
  if (state.operatorHold.kind !== 'pause') {
    const [brake] = holdingBrakes(state);
    if (brake === undefined) return refused(state, 'CCM4005: the run is not paused');
    const { actor, reason: why } = brake.by;
    return refused(state, `CCM4005: the fleet paused it, by ${actor}: ${why}; resume it there`);
  }
  const pending = { ...state.pending, observed: true };
  return applied(
    { ...state, operatorHold: { kind: 'none' }, pending },
    `resumed, target ${state.direction.target.toUpperCase()}`,
  );
}

function stop(state: RunState, command: OperatorCommand): Applied {
  return applied(stopFor(state, command), 'stopped at a safe point');
}

/** The run ends at this safe point. */
export function stopFor(state: RunState, { actor, reason: why }: Requester): RunState {
  const reason = `stopped by ${actor}${why === '' ? '' : `: ${why}`}`;
  return {
    ...state,
    operatorHold: { kind: 'stop' },
    direction: { ...state.direction, reason },
  };
}

function afterStop(state: RunState): Applied {
  return refused(state, 'CCM4005: the run is stopping');
}

function retry(state: RunState): Applied {
  const { problems, membership } = state;
  const { holdReason } = problems;
  if (ownPause(state) !== null) {
    return refused(state, 'CCM4005: the run is paused; resume it first');
  }
  if (holdReason === null) return refused(state, 'CCM4005: nothing to retry: the run is not held');
  if (holdReason.kind === 'approval' || holdReason.kind === 'rejected') {
    return refused(state, `CCM4015: ${holdReason.what} waits for approve or reject`);
  }
  const when = membership.slot === 'held' ? '' : ' as soon as its fleet gives it a slot';
  return applied(triedAgain(state), `retrying${when}`);
}

/** What held the run is forgotten, except what waits for approval; a run that is not held stays as it is. */
export function triedAgain(state: RunState): RunState {
  const { problems } = state;
  const { holdReason, gates, breaches } = problems;
  if (holdReason === null || holdReason.kind === 'approval' || holdReason.kind === 'rejected') {
    return state;
  }
  const changesNothing = holdReason.kind === 'blocked' || holdReason.kind === 'unserved';
  return {
    ...state,
    problems: { ...problems, ...NO_PROBLEMS },
    attempts: NO_ATTEMPTS,
    proofs: stillProven(state),
    pending: {
      ...state.pending,
      fence: state.pending.fence || !changesNothing,
      // An operator who retries has seen the breaches that the status shows.
      acknowledge: !changesNothing,
      // The same check notices what was repaired in the meantime.
      plan: state.pending.plan || state.direction.objections.length > 0,
      restMs: 0,
      observed: true,
      measure: gates.length + breaches.length > 0,
    },
  };
}

function rollBack(state: RunState, command: QueuedCommand): Applied {
  return turn(state, command, 'kcm', 'rolled back');
}

function rollForward(state: RunState, command: QueuedCommand): Applied {
  return turn(state, command, 'ccm', 'rolled forward');
}

/**
 * A person's pause survives a change of direction: the two are independent. A parked run rolls back without a slot, because nothing
 * delays a rollback that a person wants; forward it waits for one.
 */
function turn(state: RunState, command: QueuedCommand, target: Target, words: string): Applied {
  const { actor, reason } = command;
  if (state.direction.target === target) {
    return refused(
      state,
      `CCM4005: the run already targets ${target.toUpperCase()}; use retry to try again`,
    );
  }
  const turned = changeTarget(state, target, { actor, reason }, words);
  const paused = ownPause(turned) === null ? '' : '; the run stays paused until resume';
  const isParked = state.membership.slot === 'givenBack';
  // One that an alert turned around burnt, as one does that its own policy turned.
  const turnedByPerson = !isByAutomation(command);
  const ties = { turnedByPerson, slot: target === 'kcm' ? 'held' : turned.membership.slot };
  const slot = !isParked ? '' : target === 'kcm' ? WITHOUT_SLOT : AWAITS_SLOT;
  return applied(
    withTies(turned, ties),
    `the target is ${target.toUpperCase()} now${paused}${slot}`,
  );
}

const WITHOUT_SLOT = '; it does not wait for a slot of its fleet';
const AWAITS_SLOT = '; the run stays parked until its fleet gives it a slot';
