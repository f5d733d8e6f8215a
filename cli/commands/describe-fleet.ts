import type { Client } from '@temporalio/client';
import { clusterWorkflowId } from '../../config/names.js';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { clusterRow, type FleetPath } from '../fleets/fleet-path.js';
import { fleetForecaster } from '../fleets/fleet-forecaster.js';
import { settingsOfRun, type FleetRunView } from '../fleets/fleet-run.js';
import { runExists } from '../runs/find-run.js';
import { clusterTable, commandLines, listedClusters } from '../screens/fleet-lists.js';
import { fleetScreen } from '../screens/fleet-screen.js';
import { sameServer } from '../typed-command.js';
import { printFleetStatus, refusePart, requireFleet, requireState } from './status-fleet.js';

/** `describe FLEET`: every group, and who told the fleet what. */
export async function describeWholeFleet(
  cli: Cli,
  client: Client,
  path: FleetPath,
): Promise<ExitStatus> {
  await refusePart(cli, client, 'describe', path);
  const { fleet } = path;
  const run = await fleetForecaster(client)(await requireFleet(client, fleet));
  const nowMs = Date.now();
  if (!isText(cli)) {
    printFleetStatus(cli, run, nowMs);
    return 'reached';
  }
  const [{ width = Infinity }, server] = [screen(cli), sameServer(cli.options)];
  const lines = [
    ...fleetScreen({ run, server, nowMs, width, height: Infinity }, cli.theme),
    ...(run.state === null ? [] : commandLines(run.state, nowMs)),
  ];
  cli.terminal.out(`${lines.join('\n')}\n`);
  return 'reached';
}

/** Where a cluster is in its fleet; and the workflow id of its run, null before its first. */
export async function showMember(
  cli: Cli,
  client: Client,
  fleet: string,
  cluster: string,
): Promise<string | null> {
  const run = await requireState(client, fleet);
  const row = clusterRow(run.state, fleet, cluster);
  const nowMs = Date.now();
  const clusters = listedClusters(run.state, [row], nowMs);
  const workflowId = row.grant === 0 ? null : await runOfRow(client, run, row.index);
  if (isText(cli)) {
    const { width = Infinity } = screen(cli);
    cli.terminal.out(`${clusterTable(clusters, { nowMs, width }).join('\n')}\n\n`);
  } else if (workflowId === null) printDocument(cli, 'FleetClusterList', { fleet, clusters });
  return workflowId;
}

/** Null where its run was never started, or no longer exists. */
async function runOfRow(client: Client, run: FleetRunView, index: number): Promise<string | null> {
  const settings = await settingsOfRun(client, run);
  const uid = settings?.members[index]?.uid;
  if (uid === undefined) return null;
  const workflowId = clusterWorkflowId(uid);
  return (await runExists(client, workflowId)) ? workflowId : null;
}
