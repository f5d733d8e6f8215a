import { CancellationScope } from '@temporalio/workflow';
import type { GuardReport } from '../activities/contract.js';
import { guarding } from './activity-proxies.js';
import type { RunState } from '../domain/advance/run-state.js';
import type { ClusterMigrationInput } from './cluster-run.js';
import { fenceNonce, runContext } from './run-context.js';
import { runFailure } from './run-failure.js';
import type { Mailbox } from './run-mailbox.js';

/** The guard of a run: from the first fence to the end, on its own task queue. */
export interface Guard {
  /** Starts it unless it is there already. Only from the loop: a scope of a flight would end with that flight. */
  readonly watch: (state: RunState) => void;
  /** Cancels it and waits for what it saw; null when it never ran or was lost. */
  readonly end: () => Promise<GuardReport['ownership'] | null>;
}

type Ownership = GuardReport['ownership'];

export function openGuard(input: ClusterMigrationInput, mailbox: Mailbox): Guard {
  let seen: Ownership | null = null;
  let current: { readonly scope: CancellationScope; readonly landed: Promise<void> } | null = null;
  let ending = false;

  const fly = async (state: RunState): Promise<void> => {
    const why = await guarding(input)
      .guardCluster({ ...runContext(input, state), nonce: fenceNonce(state.fences) })
      .then(
        (report) => {
          seen = added(seen, report.ownership);
          return `guard ended: ${report.ended}`;
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

/** Figures of a guard that was started again are added to those before it. */
function added(
  before: Ownership | null,
  { overlapSeconds, orphanSeconds, unknownSeconds = 0, moves }: Ownership,
): Ownership {
  return {
    overlapSeconds: (before?.overlapSeconds ?? 0) + overlapSeconds,
    orphanSeconds: (before?.orphanSeconds ?? 0) + orphanSeconds,
    unknownSeconds: (before?.unknownSeconds ?? 0) + unknownSeconds,
    moves: (before?.moves ?? 0) + moves,
  };
}
