import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CLUSTER_MIGRATION, FLEET_MIGRATION } from '../../../config/names.js';

/** Events of the histories that a fleet left in the server. */
export interface HistorySizes {
  /** Of each cluster, all its executions together, by workflow id. */
  readonly clusters: ReadonlyMap<string, number>;
  /** Of each execution of the fleet. */
  readonly fleet: readonly number[];
}

const POLL_EVERY_MS = 2_000;
const POLLS = 30;

/** The server's index lags, so it is read until it says the same twice. */
export async function settledSizes(client: Client): Promise<HistorySizes> {
  let last = await historySizes(client);
  for (let poll = 0; poll < POLLS; poll += 1) {
    await sleep(POLL_EVERY_MS);
    const next = await historySizes(client);
    if (totalOf(next) === totalOf(last)) return next;
    last = next;
  }
  throw new Error("the server's index of closed executions does not settle");
}

/** The lengths that the server recorded with the closed executions. */
async function historySizes(client: Client): Promise<HistorySizes> {
  const clusters = new Map<string, number>();
  for await (const { workflowId, historyLength } of closed(client, CLUSTER_MIGRATION)) {
    clusters.set(workflowId, (clusters.get(workflowId) ?? 0) + historyLength);
  }
  const fleet: number[] = [];
  for await (const { historyLength } of closed(client, FLEET_MIGRATION)) fleet.push(historyLength);
  return { clusters, fleet };
}

function closed(client: Client, type: string) {
  const query = `WorkflowType = "${type}" AND ExecutionStatus != "Running"`;
  return client.workflow.list({ query, pageSize: 500 });
}

function totalOf({ clusters, fleet }: HistorySizes): number {
  return [...clusters.values(), ...fleet].reduce((sum, each) => sum + each, 0);
}
