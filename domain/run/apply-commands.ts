import { forgetAttempts, changeTarget } from './holds.js';
import { type Applied, answered, applied, approve, refused, reject, skip } from './approvals.js';
import type { OperatorCommand, Verb } from './operator-command.js';
import type { RunState } from './run-state.js';

type Application = (state: RunState, command: OperatorCommand) => Applied;

const APPLICATIONS: Readonly<Record<Verb, Application>> = {
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
export function enqueue(state: RunState, command: OperatorCommand, detail: string): RunState {
  return {
    ...answered(state, command.commandId, { state: 'pending', detail }),
    queue: [...state.queue, command],
  };
}

/** Applies the queued commands in order. Only called at safe points. */
export function applyQueue(state: RunState): RunState {
  return state.queue.reduce<RunState>(
    (before, command) => {
      const application = before.hold === 'stop' ? afterStop : APPLICATIONS[command.verb];
      const { state: after, answer } = application(before, command);
      return answered(after, command.commandId, answer);
    },
    { ...state, queue: [] },
  );
}

/** Answers the commands still pending when a run ends. */
export function refuseQueue(state: RunState): RunState {
  return state.queue.reduce<RunState>(
    (before, { commandId }) =>
      answered(before, commandId, { state: 'refused', detail: 'the run has ended' }),
    { ...state, queue: [] },
  );
}

/** The first pause is kept, so that `status` names the person to ask. */
function pause(state: RunState, { actor, reason }: OperatorCommand): Applied {
  const { hold, pausedBy } = state;
  if (hold === 'pause' && pausedBy !== null) {
    return applied(state, `it is paused already, by ${pausedBy.actor}: ${pausedBy.reason}`);
  }
  const paused: RunState = { ...state, hold: 'pause', pausedBy: { actor, reason } };
  return applied(paused, 'paused: nothing is changed until resume');
}

function resume(state: RunState): Applied {
  if (state.hold !== 'pause') return refused(state, 'CCM4005: the run is not paused');
  const pending = { ...state.pending, observed: true };
  return applied(
    { ...state, hold: 'none', pausedBy: null, pending },
    `resumed, target ${state.target.toUpperCase()}`,
  );
}

function stop(state: RunState, { actor, reason }: OperatorCommand): Applied {
  const targetReason = `stopped by ${actor}${reason === '' ? '' : `: ${reason}`}`;
  return applied(
    { ...state, hold: 'stop', pausedBy: null, targetReason },
    'stopped at a safe point',
  );
}

function afterStop(state: RunState): Applied {
  return refused(state, 'CCM4005: the run is stopping');
}

function retry(state: RunState): Applied {
  const { holdReason, hold } = state;
  if (hold === 'pause') return refused(state, 'CCM4005: the run is paused; resume it first');
  if (holdReason === null) return refused(state, 'CCM4005: nothing to retry: the run is not held');
  if (holdReason.kind === 'approval' || holdReason.kind === 'rejected') {
    return refused(state, `CCM4015: ${holdReason.what} waits for approve or reject`);
  }
  const measure = state.gates.length + state.breaches.length > 0;
  const changesNothing = holdReason.kind === 'blocked' || holdReason.kind === 'unserved';
  const next: RunState = {
    ...forgetAttempts(state),
    holdReason: null,
    gates: [],
    breaches: [],
    soak: state.soak === 'failed' ? 'pending' : state.soak,
    verified: state.verified && state.gates.length === 0,
    pending: {
      ...state.pending,
      fence: state.pending.fence || !changesNothing,
      // An operator who retries has seen the breaches that the status shows.
      acknowledge: !changesNothing,
      // The same check notices what was repaired in the meantime.
      plan: state.pending.plan || state.objections.length > 0,
      restMs: 0,
      observed: true,
      measure,
    },
  };
  return applied(next, 'retrying');
}

function rollBack(state: RunState, command: OperatorCommand): Applied {
  return turn(state, command, 'kcm', 'rolled back');
}

function rollForward(state: RunState, command: OperatorCommand): Applied {
  return turn(state, command, 'ccm', 'rolled forward');
}

/** A pause survives a change of direction: the two are independent. */
function turn(
  state: RunState,
  { actor, reason }: OperatorCommand,
  target: RunState['target'],
  words: string,
): Applied {
  if (state.target === target) {
    return refused(
      state,
      `CCM4005: the run already targets ${target.toUpperCase()}; use retry to try again`,
    );
  }
  const paused = state.hold === 'pause' ? '; the run stays paused until resume' : '';
  const next = changeTarget(state, target, { actor, reason }, words);
  return applied(next, `the target is ${target.toUpperCase()} now${paused}`);
}
