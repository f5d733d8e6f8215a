import type { Client } from '@temporalio/client';
import {
  CLUSTER_MIGRATION,
  FLEET_MIGRATION,
  clusterWorkflowId,
  fleetNameIn,
  fleetWorkflowId,
} from '../../config/names.js';
import type { CommandedRun } from '../../domain/automation/automation-token.js';
import type { OrderTarget } from '../../domain/automation/requested-orders.js';
import type { ClusterMigrationInput } from '../../workflows/messages.js';
import { describedRun, firstInput } from '../runs/described-run.js';
import { CLUSTER_ATTRIBUTE, FLEET_ATTRIBUTE, quotedLiteral } from '../runs/find-run.js';

/** UIDs of clusters by their names, as inventories pin them. */
export type UidOf = (name: string) => string | null;

/** More open runs than these are not commanded by one alert: a fleet is paused as a whole. */
const MOST_RUNS = 1000;

/**
 * The open runs that an alert's labels select. A UID, the name of an inventory's cluster and a fleet are the id of their run, so
 * that one that began just now is found; other names, regions and waves are looked up in the search index, which lags.
 */
export async function reachRuns(
  client: Client,
  target: OrderTarget,
  uidOf: UidOf,
): Promise<readonly CommandedRun[]> {
  switch (target.kind) {
    case 'uid':
      return openRuns(client, [clusterWorkflowId(target.uid)]);
    case 'fleet':
      return openRuns(client, [fleetWorkflowId(target.name)]);
    case 'cluster': {
      const known = uidOf(target.name);
      if (known !== null) return openRuns(client, [clusterWorkflowId(known)]);
      const byUid = await openRuns(client, [clusterWorkflowId(target.name)]);
      return byUid.length > 0
        ? byUid
        : openRuns(client, await listed(client, [`Cluster=${quotedLiteral(target.name)}`]));
    }
    case 'area': {
      const { region, wave } = target;
      const conditions = [
        ...(region === null ? [] : [`Region=${quotedLiteral(region)}`]),
        ...(wave === null ? [] : [`Wave=${quotedLiteral(wave)}`]),
      ];
      return openRuns(client, await listed(client, conditions));
    }
  }
}

async function listed(client: Client, conditions: readonly string[]): Promise<readonly string[]> {
  const query = [
    `WorkflowType='${CLUSTER_MIGRATION}'`,
    `ExecutionStatus='Running'`,
    ...conditions,
  ].join(' AND ');
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) {
    ids.push(workflowId);
    if (ids.length >= MOST_RUNS) break;
  }
  return ids;
}

async function openRuns(client: Client, ids: readonly string[]): Promise<readonly CommandedRun[]> {
  const found = await Promise.all(ids.map(async (id) => openRun(client, id)));
  return found.filter((each) => each !== null);
}

/** Null where there is no open run with this id. */
async function openRun(client: Client, workflowId: string): Promise<CommandedRun | null> {
  const description = await describedRun(client, workflowId);
  if (description?.status.name !== 'RUNNING') return null;
  const runId = description.raw.workflowExecutionInfo?.firstRunId ?? description.runId;
  const { type, typedSearchAttributes: attributes } = description;
  if (type === FLEET_MIGRATION) {
    const name = fleetNameIn(workflowId);
    return { kind: 'fleet', workflowId, runId, name };
  }
  if (type !== CLUSTER_MIGRATION) return null;
  const uid = workflowId.slice(clusterWorkflowId('').length);
  const name = attributes.get(CLUSTER_ATTRIBUTE);
  const fleet = attributes.get(FLEET_ATTRIBUTE);
  if (name !== undefined && fleet !== undefined) {
    return { kind: 'cluster', workflowId, runId, name, uid, fleet };
  }
  // No worker has taken it yet, so that only its input says which cluster it is.
  const input = await firstInput<ClusterMigrationInput>(client, description);
  if (input === null) throw new Error(`${workflowId} has no input`);
  const { cluster, fleet: ofInput } = input;
  return { kind: 'cluster', workflowId, runId, uid, name: cluster.name, fleet: ofInput };
}
