import { CancellationScope } from '@temporalio/workflow';
import { guarding } from './activity-proxies.js';
import type { RunState } from '../domain/advance/run-state.js';
import type { ClusterMigrationInput, GuardEnd } from './cluster-run.js';
import { fenceNonce, runContext } from './run-context.js';
import { runFailure } from './run-failure.js';
import type { Mailbox } from './run-mailbox.js';

/** The guard of a run: from the first fence to the end, on its own task queue. */
export interface Guard {
  /** Starts it unless it is there already. Only from the loop: a scope of a flight would end with that flight. */
  readonly watch: (state: RunState) => void;
  /** Cancels it and waits for what it saw. */
  readonly end: () => Promise<GuardEnd>;
}

export function openGuard(
  input: ClusterMigrationInput,
  mailbox: Mailbox,
  carried: GuardEnd,
): Guard {
  let seen = carried;
  let current: { readonly scope: CancellationScope; readonly landed: Promise<void> } | null = null;
  let ending = false;

  const fly = async (state: RunState): Promise<void> => {
    const why = await guarding(input)
      .guardCluster({
        ...runContext(input, state),
        nonce: fenceNonce(state.fences),
        memory: seen.memory,
      })
      .then(
        ({ ownership, memory, ended }) => {
          seen = { ownership, memory };
          return `guard ended: ${ended}`;
        },
        (error: unknown) => runFailure(error)?.message ?? mistake(mailbox, error),
      );
    current = null;
    if (!ending) mailbox.put({ kind: 'guardEnded', why });
  };

  return {
    watch: (state) => {
      if (current !== null) return;
      const scope = new CancellationScope();
      current = { scope, landed: scope.run(() => fly(state)) };
    },
    end: async () => {
      ending = true;
      current?.scope.cancel();
      await current?.landed;
      return seen;
    },
  };
}

function mistake(mailbox: Mailbox, error: unknown): string {
  mailbox.fail(error);
  return 'guard failed';
}
