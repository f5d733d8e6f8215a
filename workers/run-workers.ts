import type { NativeConnection } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import type { Role } from './roles.js';
import { workerOptions, type WorkerParts } from './worker-options.js';

export interface RunningWorkers {
  /** Why this process does not serve its queues; empty when it does. */
  readonly notReady: () => readonly string[];
  /** Runs until a signal ends the process or one of them fails; then all of them end. */
  readonly run: () => Promise<void>;
}

export async function createWorkers(
  roles: readonly Role[],
  parts: WorkerParts & { readonly connection: NativeConnection },
): Promise<RunningWorkers> {
  const workers = await Promise.all(
    roles.map(async (role) => ({ role, worker: await Worker.create(workerOptions(role, parts)) })),
  );
  return {
    notReady: () =>
      workers
        .filter(({ worker }) => worker.getState() !== 'RUNNING')
        .map(({ role, worker }) => `${role}: ${worker.getState()}`),
    run: async () => {
      const ends = workers.map(({ worker }) => endAllWhenOneEnds(worker, workers));
      const results = await Promise.allSettled(ends);
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  };
}

/** A process that serves only part of its queues looks healthy and is not. */
async function endAllWhenOneEnds(
  worker: Worker,
  workers: readonly { readonly worker: Worker }[],
): Promise<void> {
  try {
    await worker.run();
  } finally {
    for (const other of workers) if (other.worker.getState() === 'RUNNING') other.worker.shutdown();
  }
}
