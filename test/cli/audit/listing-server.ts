import type { Client } from '@temporalio/client';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';

export interface ListedExecution {
  readonly workflowId: string;
  readonly runId: string;
  readonly history: unknown;
  /** As the server calls it; running unless given. */
  readonly status?: string;
  /** Epoch ms. */
  readonly closedAt?: number;
  /** What the request for its history fails with. */
  readonly failure?: Error;
}

/** A server that lists these executions of clusters, as far as audits ask it. */
export function listingServer(executions: readonly ListedExecution[]): Client {
  const list = async function* ({ query }: { readonly query: string }) {
    await Promise.resolve();
    for (const { workflowId, runId, status = 'RUNNING', closedAt } of executions) {
      if (!query.includes('clusterMigration')) continue;
      if (status === 'RUNNING' && query.includes("!='Running'")) continue;
      yield {
        ...{ workflowId, runId, startTime: new Date(0), status: { name: status } },
        ...(closedAt === undefined ? {} : { closeTime: new Date(closedAt) }),
        typedSearchAttributes: { get: () => 'c1' },
      };
    }
  };
  const historyIn = async (runId: string) => {
    await Promise.resolve();
    const found = executions.find((each) => each.runId === runId);
    if (found?.failure !== undefined) throw found.failure;
    return historyFromJSON(found?.history);
  };
  const getHandle = (_id: string, runId: string) => ({ fetchHistory: () => historyIn(runId) });
  const options = { loadedDataConverter: { payloadCodecs: [] } };
  return { workflow: { list, getHandle, options } } as unknown as Client;
}
