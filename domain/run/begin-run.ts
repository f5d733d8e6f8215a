import { digestText } from '../digest.js';
import type { MigrationPolicy } from '../policy.js';
import type { Target } from '../vocabulary.js';
import type { CommandAnswer } from './operator-command.js';
import { firstTies } from './fleet-ties.js';
import type { Membership } from './membership.js';
import { NOT_PROVEN, NO_ATTEMPTS, NO_PROBLEMS } from './cleared-parts.js';
import type { Commands, Direction, Pending, RunState } from './run-state.js';
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
  /** Absent for a run that no fleet started. */
  readonly member?: Membership;
  /** Epoch ms on the server's clock. */
  readonly beganAtMs?: number;
}

/** A run before its first event. */
export function beginRun(setup: RunSetup): RunState {
  return {
    cluster: setup.cluster,
    policy: setup.policy,
    direction: firstDirection(setup),
    operatorHold: { kind: 'none' },
    membership: firstTies(setup.member ?? null, setup.target),
    problems: { ...NO_PROBLEMS, lastFailure: { whoActs: 'person', text: '' } },
    commands: { queue: [], answers: {}, older: [] },
    fence: { epoch: 0, requests: 0 },
    attempts: NO_ATTEMPTS,
    proofs: { ...NOT_PROVEN, since: null },
    done: { steps: [], earlier: { steps: 0, orphanMs: 0, mutations: 0 } },
    observed: null,
    pending: pendingAtFirst(setup),
    inFlight: { kind: 'idle' },
    ...(setup.beganAtMs === undefined ? {} : { beganAtMs: setup.beganAtMs }),
  };
}

function firstDirection({ target, planDigest, actor, reason }: RunSetup): Direction {
  return {
    target,
    reason: `asked by ${actor}: ${reason}`,
    requestedBy: { actor, reason },
    revision: 0,
    planDigest,
    objections: [],
    waivers: [],
    approvals: [],
  };
}

function pendingAtFirst({ takesOver }: RunSetup): Pending {
  return {
    recovery: false,
    check: true,
    recheck: takesOver,
    plan: false,
    fence: true,
    acknowledge: false,
    restMs: 0,
    observed: true,
    measure: false,
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
 * flight, and the next execution starts with a new decision. Fence, epoch, start inventory, totals, approvals, soak, the ties
 * to a fleet and every command id are carried over.
 */
export function carryRun(state: RunState): RunState {
  const { done, attempts } = state;
  const tried = Object.entries(attempts.byDecision).slice(-TRIES_KEPT);
  return {
    ...state,
    commands: carriedCommands(state.commands),
    attempts: { ...attempts, byDecision: Object.fromEntries(tried) },
    done: {
      steps: done.steps.slice(-STEPS_KEPT),
      earlier: totalsOf({ ...done, steps: done.steps.slice(0, -STEPS_KEPT) }),
    },
    inFlight: { kind: 'idle' },
  };
}

/** A state as an earlier execution of the run carried it: one of an older build knows no fleet. */
export type CarriedState = Omit<RunState, 'membership'> & Partial<Pick<RunState, 'membership'>>;

export function restoredRun(carried: CarriedState): RunState {
  return { ...carried, membership: carried.membership ?? firstTies(null, null) };
}

function carriedCommands({ queue, answers, older, ...others }: Commands): Commands {
  const ids = Object.keys(answers);
  const waiting = queue.map(({ commandId }) => commandId);
  const kept = new Set([...ids.slice(-ANSWERS_KEPT), ...waiting]);
  const digests = ids.filter((id) => !kept.has(id)).map(commandDigest);
  return {
    ...others,
    queue,
    answers: Object.fromEntries(Object.entries(answers).filter(([id]) => kept.has(id))),
    older: [...new Set([...older, ...digests])],
  };
}

/** Whether a command was already answered, in this execution of the run or an earlier one. */
export function isKnown({ answers, older }: Commands, commandId: string): boolean {
  return (
    Object.hasOwn(answers, commandId) ||
    (older.length > 0 && older.includes(commandDigest(commandId)))
  );
}

/** What became of a command; null when it was never received. */
export function answerOf(commands: Commands, commandId: string): CommandAnswer | null {
  const answer = commands.answers[commandId];
  if (answer !== undefined) return answer;
  return isKnown(commands, commandId) ? ANSWERED_BEFORE : null;
}

const ANSWERED_BEFORE: CommandAnswer = {
  state: 'refused',
  detail: 'already answered: see the history of an earlier execution of this run',
};

/** Short, because a run may receive thousands of commands; long enough that two do not collide by chance. */
function commandDigest(commandId: string): string {
  return digestText(commandId).slice(7, 31);
}
