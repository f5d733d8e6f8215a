import { CancellationScope, isCancellation, patched, sleep } from '@temporalio/workflow';
import { turnAwaitedMs, withTurnTimed } from '../domain/run/turn-time.js';
import type { RunState } from '../domain/run/run-state.js';
import type { Mailbox } from './run-mailbox.js';

/** Reports when the time of a pending turn is up. Beside the activity in flight: no worker has to be there to measure it. */
export interface TurnTimer {
  /** Waits for what the state has pending, and for nothing else. */
  readonly follow: (state: RunState) => void;
}

/** A hold that begins with a time is noted. In runs of older builds a failure ended its time, and must when they are replayed. */
export function notedTurn(state: RunState): RunState {
  return withTurnTimed(state, () => ({
    nowMs: Date.now(),
    outlasts: patched('turns-outlast-failures'),
  }));
}

export function createTurnTimer(mailbox: Mailbox): TurnTimer {
  let waiting: { readonly atMs: number; readonly scope: CancellationScope } | null = null;
  return {
    follow: (state) => {
      const atMs = turnAwaitedMs(state);
      if (atMs === (waiting?.atMs ?? null)) return;
      waiting?.scope.cancel();
      waiting = null;
      const sinceMs = state.pendingTurn?.sinceMs ?? null;
      if (atMs === null || sinceMs === null) return;
      const scope = new CancellationScope();
      waiting = { atMs, scope };
      // After a continue-as-new the rest of the time is left, or none.
      scope
        .run(() => sleep(Math.max(1, atMs - Date.now())))
        .then(
          () => {
            mailbox.put({ kind: 'turnDue', sinceMs });
          },
          (error: unknown) => {
            if (!isCancellation(error)) mailbox.fail(error);
          },
        );
    },
  };
}
