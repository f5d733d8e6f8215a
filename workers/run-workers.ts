import { type NativeConnection, Worker } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from '../config/names.js';
import type { Role } from './worker-options.js';
import { type WorkerParts, workerOptions } from './worker-options.js';

export interface RunningWorkers {
  /** Why this process does not serve its queues; empty when it does. */
  readonly notReady: () => readonly string[];
  /** Runs until `leave` is called or one of them fails; then all of them end. */
  readonly run: () => Promise<void>;
  /** Takes no new work, lets running activities complete, and then ends the guards. May be called again. */
  readonly leave: () => void;
}

interface Served {
  readonly role: Role;
  readonly worker: Worker;
}

export async function createWorkers(
  roles: readonly Role[],
  parts: WorkerParts & { readonly connection: NativeConnection },
): Promise<RunningWorkers> {
  const workers = await Promise.all(
    roles.map(async (role) => ({ role, worker: await Worker.create(workerOptions(role, parts)) })),
  );
  const guards = workers.filter(({ role }) => role === 'guards');
  const others = workers.filter(({ role }) => role !== 'guards');
  const leave = (): void => shutDown(others.length > 0 ? others : guards);
  return {
    notReady: () =>
      workers
        .filter(({ worker }) => worker.getState() !== 'RUNNING')
        .map(({ role, worker }) => `${role}: ${worker.getState()}`),
    leave,
    run: async () => {
      const ends = [
        endTogether(guards, leave),
        // A step in flight may write only while it is guarded, possibly by this process alone.
        ...(others.length === 0
          ? []
          : [endTogether(others, leave).finally(() => shutDown(guards))]),
      ];
      const results = await Promise.allSettled(ends);
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  };
}

/** A process that serves only part of its queues only looks healthy: when one worker ends, all are shut down. */
async function endTogether(workers: readonly Served[], leave: () => void): Promise<void> {
  const results = await Promise.allSettled(
    workers.map(({ worker }) => worker.run().finally(leave)),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function shutDown(workers: readonly Served[]): void {
  for (const { worker } of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

const WITHIN_MS = 5_000;

/**
 * Refuses a namespace that lacks our search attributes: every workflow task would fail there repeatedly, and the only symptom
 * would be a run that does not progress.
 */
export async function requireSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<void> {
  const { customAttributes } = await connection.withDeadline(Date.now() + WITHIN_MS, () =>
    connection.operatorService.listSearchAttributes({ namespace }),
  );
  const missing = SEARCH_ATTRIBUTES.filter(({ name }) => !Object.hasOwn(customAttributes, name));
  if (missing.length === 0) return;
  const commands = missing.map(
    ({ name, type }) =>
      `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${type === 'BOOL' ? 'Bool' : 'Keyword'}`,
  );
  throw new Error(
    `namespace ${namespace} lacks search attributes; run:\n  ${commands.join('\n  ')}`,
  );
}
