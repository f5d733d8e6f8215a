import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { withTemporal } from '../runs/connection.js';
import { meantFleet } from '../fleets/meant-fleet.js';
import { findRun } from '../runs/find-run.js';
import type { RunView } from '../runs/run-view.js';
import { askStatus, viewRun } from '../runs/run-view.js';
import type { HeaderRow } from '../screens/header.js';
import { runTree, silenceLines } from '../screens/run-tree.js';
import { sameServer } from '../typed-command.js';

/** `describe [cluster]`: everything known about a run, cause first, also after its end. */
export async function describe(cli: Cli): Promise<ExitStatus> {
  return withTemporal<ExitStatus>(cli, async (client) => {
    const found = await whatToDescribe(cli, client);
    if (found.kind === 'shown') return found.exitStatus;
    const { workflowId } = found;
    const view = await withSteps(client, await viewRun(client, workflowId));
    if (!isText(cli)) {
      printDocument(cli, 'RunStatus', { ...view });
      return 'reached';
    }
    const { status } = view;
    const shown = { extra: details(view), server: sameServer(cli.options), detailed: true };
    const input = { view, status, nowMs: Date.now(), ...shown, ...screen(cli) };
    const lines = runTree(input, cli.theme);
    cli.terminal.out(`${lines.join('\n')}\n`);
    for (const line of silenceLines(view, cli.theme)) cli.terminal.err(`${line}\n`);
    return 'reached';
  });
}

type Described =
  | { readonly kind: 'run'; readonly workflowId: string }
  | { readonly kind: 'shown'; readonly exitStatus: ExitStatus };

/** A cluster of a fleet is shown as the fleet sees it, and then as its run does. */
async function whatToDescribe(cli: Cli, client: Client): Promise<Described> {
  const [written] = cli.arguments;
  const path = written === undefined ? null : await meantFleet(client, written);
  if (path === null) return { kind: 'run', workflowId: await findRun(cli, client) };
  const { describeWholeFleet, showMember } = await import('./describe-fleet.js');
  if (path.part.kind !== 'cluster') {
    return { kind: 'shown', exitStatus: await describeWholeFleet(cli, client, path) };
  }
  const workflowId = await showMember(cli, client, path.fleet, path.part.cluster);
  return workflowId === null
    ? { kind: 'shown', exitStatus: 'reached' }
    : { kind: 'run', workflowId };
}

/** The steps of an ended run come from a worker's replay; without a worker they are left out. */
async function withSteps(client: Client, view: RunView): Promise<RunView> {
  if (view.execution === 'running') return view;
  const asked = await askStatus(client, view.workflowId, view.runId);
  return asked.kind === 'answered' ? { ...view, status: asked.value } : view;
}

/** What `status` leaves out. */
function details({ outcome, status, historyEvents, historyBytes }: RunView): readonly HeaderRow[] {
  const size = historyBytes === null ? '' : `, ${String(Math.ceil(historyBytes / 1024))} KiB`;
  const epoch = outcome?.epoch ?? status?.epoch;
  return [
    ...evidenceRows(outcome),
    ...(epoch === undefined ? [] : [['Fence', `epoch ${String(epoch)}`] as const]),
    ['History', `${String(historyEvents)} events${size}`],
  ];
}

function evidenceRows(outcome: RunView['outcome']): readonly HeaderRow[] {
  if (outcome === null) return [];
  const { evidence, closing } = outcome;
  return [
    ...(evidence === null
      ? []
      : [['Evidence', `${String(evidence.records)} records, head ${evidence.head}`] as const]),
    ...(closing === '' ? [] : [['Closing', closing] as const]),
  ];
}
