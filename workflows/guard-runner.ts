import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { GuardMemory } from '../activities/contract.js';
import { guarding } from './activity-proxies.js';
import { mayHaveWritten } from '../domain/run/resume-loop.js';
import type { RunState } from '../domain/run/run-state.js';
import type { ClusterMigrationInput, GuardEnd } from './messages.js';
import { fenceNonce, runContext } from './run-context.js';
import { runFailure } from './run-failure.js';
import type { Mailbox } from './run-mailbox.js';

/** The guard of a run: from the first fence to the end, on its own task queue. */
export interface Guard {
  /**
   * Starts it unless it is already running. Only from the loop: the scope of another activity would end with that
   * activity.
   */
  readonly watch: (state: RunState) => void;
  /** Cancels it and waits for its report. It may be started again afterwards. */
  readonly end: () => Promise<GuardEnd>;
  /** Whether the last one started has reported; true when none was started. */
  readonly hasReported: () => boolean;
}

export function openGuard(
  input: ClusterMigrationInput,
  mailbox: Mailbox,
  carried: GuardEnd,
): Guard {
  let seen = carried;
  let current: { readonly scope: CancellationScope; readonly ended: Promise<void> } | null = null;
  let ending = false;
  let reported = true;

  const start = async (state: RunState): Promise<void> => {
    const ended = await watched(input, mailbox, state, seen);
    ({ seen } = ended);
    reported ||= ended.reported;
    current = null;
    if (!ending) mailbox.put({ kind: 'guardEnded', why: ended.why });
  };

  return {
    watch: (state) => {
      if (current !== null) return;
      const scope = new CancellationScope();
      reported = false;
      current = { scope, ended: scope.run(() => start(state)) };
    },
    end: async () => {
      ending = true;
      current?.scope.cancel();
      await current?.ended;
      ending = false;
      return seen;
    },
    hasReported: () => reported,
  };
}

interface Watched {
  readonly seen: GuardEnd;
  readonly reported: boolean;
  readonly why: string;
}

/** One guard, from its start to its end. */
async function watched(
  input: ClusterMigrationInput,
  mailbox: Mailbox,
  state: RunState,
  before: GuardEnd,
): Promise<Watched> {
  const { memory } = before;
  const nonce = fenceNonce(state.fence.requests);
  try {
    const report = await guarding(input).guardCluster({
      ...{ ...runContext(input, state), nonce, memory },
      ...(mayHaveWritten(state) ? { mayHaveWritten: { sinceMs: state.beganAtMs ?? null } } : {}),
    });
    const seen = { ownership: report.ownership, memory: report.memory };
    return { seen, reported: true, why: `guard ended: ${report.ended}` };
  } catch (error) {
    // It reports nothing more, so its memory is its last heartbeat.
    const seen = { ...before, memory: lastMemory(error) ?? memory };
    const why = runFailure(error)?.message ?? mistake(mailbox, error);
    return { seen, reported: false, why };
  }
}

/**
 * The last heartbeat of a guard: the server has it where a worker went silent, and a failure of ours says it beside its details. What a
 * guard remembered that waited for a worker or for its next attempt when it was cancelled, is lost.
 */
function lastMemory(error: unknown): GuardMemory | null {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const details: unknown =
    cause instanceof TimeoutFailure
      ? cause.lastHeartbeatDetails
      : cause instanceof ApplicationFailure
        ? cause.details?.[1]
        : undefined;
  const isMemory = typeof details === 'object' && details !== null && 'guard' in details;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- a guard of ours wrote it
  return isMemory ? (details as GuardMemory) : null;
}

function mistake(mailbox: Mailbox, error: unknown): string {
  mailbox.fail(error);
  return 'guard failed';
}
