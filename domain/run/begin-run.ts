import { digestText } from '../digest.js';
import type { MigrationPolicy } from '../policy.js';
import type { Target } from '../vocabulary.js';
import type { CommandAnswer } from './operator-command.js';
import type { RunState } from './run-state.js';
import { totalsOf } from './run-status.js';

export interface RunSetup {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly policy: MigrationPolicy;
  readonly target: Target;
  readonly planDigest: string;
  readonly actor: string;
  readonly reason: string;
  /** Another run may hold the fence and must be displaced. */
  readonly takesOver: boolean;
}

/** The empty parts of a run's state at its start. */
const NOTHING_YET = {
  hold: 'none',
  pausedBy: null,
  inFlight: { kind: 'idle' },
  queue: [],
  answers: {},
  olderCommands: [],
  observed: null,
  revision: 0,
  epoch: 0,
  fences: 0,
  recovering: false,
  holdReason: null,
  gates: [],
  breaches: [],
  objections: [],
  waivers: [],
  approvals: [],
  attempts: {},
  failures: { step: '', count: 0 },
  guardLosses: 0,
  unserved: 0,
  heals: 0,
  soak: 'pending',
  soakProgress: null,
  since: null,
  verified: false,
  waitCount: 0,
  steps: [],
  earlier: { steps: 0, orphanMs: 0, mutations: 0 },
  lastFailure: { whoActs: 'person', text: '' },
} as const satisfies Partial<RunState>;

/** A run before its first event. */
export function beginRun(setup: RunSetup): RunState {
  const { cluster, policy, target, planDigest, actor, reason, takesOver } = setup;
  return {
    ...NOTHING_YET,
    cluster,
    policy,
    target,
    planDigest,
    targetReason: `asked by ${actor}: ${reason}`,
    requestedBy: { actor, reason },
    pending: {
      check: true,
      recheck: takesOver,
      plan: false,
      fence: true,
      acknowledge: false,
      restMs: 0,
      observed: true,
      measure: false,
    },
  };
}

/**
 * How many answers, steps and attempts are carried in full. Of older ones only totals remain, and digests of command
 * ids.
 */
const ANSWERS_KEPT = 100;
const STEPS_KEPT = 50;
const TRIES_KEPT = 50;

/**
 * What a run carries over when it continues as new: its state at a safe point, trimmed to what it needs. Nothing is in
 * flight, and the next execution starts with a new decision. Fence, epoch, start inventory, totals, approvals, soak and every
 * command id are carried over.
 */
export function carryRun(state: RunState): RunState {
  const ids = Object.keys(state.answers);
  const pending = state.queue.map(({ commandId }) => commandId);
  const kept = new Set([...ids.slice(-ANSWERS_KEPT), ...pending]);
  const older = ids.filter((id) => !kept.has(id)).map(commandDigest);
  const answers = Object.entries(state.answers).filter(([id]) => kept.has(id));
  return {
    ...state,
    inFlight: { kind: 'idle' },
    answers: Object.fromEntries(answers),
    olderCommands: [...new Set([...state.olderCommands, ...older])],
    steps: state.steps.slice(-STEPS_KEPT),
    earlier: totalsOf({ ...state, steps: state.steps.slice(0, -STEPS_KEPT) }),
    attempts: Object.fromEntries(Object.entries(state.attempts).slice(-TRIES_KEPT)),
  };
}

/** Whether a command was already answered, in this execution of the run or an earlier one. */
export function isKnown({ answers, olderCommands }: RunState, commandId: string): boolean {
  return (
    Object.hasOwn(answers, commandId) ||
    (olderCommands.length > 0 && olderCommands.includes(commandDigest(commandId)))
  );
}

/** What became of a command; null when it was never received. */
export function answerOf(state: RunState, commandId: string): CommandAnswer | null {
  const answer = state.answers[commandId];
  if (answer !== undefined) return answer;
  return isKnown(state, commandId) ? ANSWERED_BEFORE : null;
}

const ANSWERED_BEFORE: CommandAnswer = {
  state: 'refused',
  detail: 'already answered: see the history of an earlier execution of this run',
};

/** Short, because a run may receive thousands of commands; long enough that two do not collide by chance. */
function commandDigest(commandId: string): string {
  return digestText(commandId).slice(7, 31);
}
