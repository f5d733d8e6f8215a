import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { withTemporal } from '../runs/connection.js';
import { sayDetached } from '../runs/detached.js';
import type { KnownRun } from '../runs/find-run.js';
import { fleetPath, type FleetPath } from '../fleets/fleet-path.js';
import { meantFleet } from '../fleets/meant-fleet.js';
import { findRun, listRuns, openFleets } from '../runs/find-run.js';
import { readAtOnce } from '../runs/read-at-once.js';
import type { RunView } from '../runs/run-view.js';
import { viewRun } from '../runs/run-view.js';
import type { WatchUntil } from '../screens/follow-run.js';
import { GOALS, followRun } from '../screens/follow-run.js';
import { watchDeadlineMs, watchTimeMs } from '../runs/watch-time.js';
import { stateText } from '../screens/header.js';
import { runList } from '../screens/run-list.js';
import { runTree, silenceLines } from '../screens/run-tree.js';
import { sameServer } from '../typed-command.js';

/** `status [cluster] [-w]`: where a run is. Without a name and with several runs, a list of them. */
export async function status(cli: Cli): Promise<ExitStatus> {
  const watch = cli.options.flag('watch') || cli.options.text('until') !== null;
  watchTimeMs(cli, watch);
  return withTemporal(cli, async (client) => {
    const [written] = cli.arguments;
    const fleet = await fleetToShow(client, written);
    if (fleet !== null)
      return (await import('./status-fleet.js')).statusOfFleet(cli, client, fleet);
    const runs = written === undefined && !watch ? await listRuns(client) : [];
    if (runs.length > 1) return showList(cli, client, runs);
    const workflowId = await findRun(cli, client);
    return watch
      ? watchRun(cli, client, workflowId)
      : showOnce(cli, await viewRun(client, workflowId));
  });
}

/** Without a name: the only fleet that is open. */
async function fleetToShow(client: Client, written: string | undefined): Promise<FleetPath | null> {
  if (written !== undefined) return meantFleet(client, written);
  const [first, second] = await openFleets(client);
  return first !== undefined && second === undefined ? fleetPath(first) : null;
}

async function watchRun(cli: Cli, client: Client, workflowId: string): Promise<ExitStatus> {
  const { exitStatus, view } = await followRun(cli, client, workflowId, {
    until: goalOf(cli.options.text('until')),
    deadlineMs: watchDeadlineMs(cli),
  });
  if (cli.output === 'json') printDocument(cli, 'RunStatus', { ...view });
  if (exitStatus === 'interrupted') {
    sayDetached(cli, view.cluster);
  }
  return exitStatus;
}

function goalOf(written: string | null): WatchUntil {
  return GOALS.find((goal) => goal === written) ?? 'settled';
}

function showOnce(cli: Cli, view: RunView): ExitStatus {
  if (!isText(cli)) {
    printDocument(cli, 'RunStatus', { ...view });
    return 'reached';
  }
  const server = sameServer(cli.options);
  const input = { view, status: view.status, nowMs: Date.now(), extra: [], server, ...screen(cli) };
  const lines = runTree(input, cli.theme);
  cli.terminal.out(`${lines.join('\n')}\n`);
  for (const line of silenceLines(view, cli.theme)) cli.terminal.err(`${line}\n`);
  return 'reached';
}

async function showList(cli: Cli, client: Client, runs: readonly KnownRun[]): Promise<ExitStatus> {
  const views = await readAtOnce(runs, ({ workflowId }) => viewRun(client, workflowId));
  if (!isText(cli)) {
    printDocument(cli, 'RunList', { runs: views.map((view) => listed(view, runs)) });
    return 'reached';
  }
  const { width = Infinity } = screen(cli);
  const lines = runList(views, cli.theme, { nowMs: Date.now(), width });
  cli.terminal.out(`${lines.join('\n')}\n`);
  return 'reached';
}

/** A run in a list: what the server knows of it, its state in the operator's terms, and what it waits for. */
function listed(view: RunView, runs: readonly KnownRun[]): Readonly<Record<string, unknown>> {
  const { workflowId, runId, cluster, execution, startedAtMs, closedAtMs, contact } = view;
  const known = runs.find((run) => run.workflowId === workflowId);
  return {
    ...{ workflowId, runId, cluster, startedAtMs, closedAtMs, contact },
    phase: known?.phase ?? '',
    running: execution === 'running',
    state: stateText(view),
    outcome: view.outcome?.kind ?? null,
    ...waiting(view.status),
  };
}

function waiting(status: RunView['status']): Readonly<Record<string, unknown>> {
  if (status === null) return { pausedBy: null, sinceMs: null, holdsFor: [] };
  const { phase, pausedBy, sinceMs, findings } = status;
  return { phase, pausedBy, sinceMs, holdsFor: findings.map(({ code }) => code) };
}
