import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import type { Ready } from '../plan/agreed-plan.js';
import { isText, printDocument } from '../print.js';
import { watchCommand } from '../terminal/typed-command.js';
import type { Attribution } from './actor.js';
import { refuseUnserved } from './queue-pollers.js';
import { startRun } from './start-run.js';

interface Started {
  readonly workflowId: string;
  readonly runId: string;
}

/** Starts the run of a plan that was agreed on, where workers serve its region. */
export async function startPlanned(
  cli: Cli,
  client: Client,
  { plan, fleet, files }: Ready,
  given: Attribution & { readonly wave: string },
): Promise<Started> {
  const { name, uid, region } = plan.cluster;
  // Asked again although `apply` asked before its question: somebody may have thought about it for an hour, and a run
  // without workers takes no command, not even `stop`. After the end of a run this is the only time.
  if (!cli.options.flag('withoutWorkers')) await refuseUnserved(client, region);
  const { policy, timings, materials } = fleet;
  const takeOver = cli.options.flag('takeOver') ? { takeOver: { reason: given.reason } } : {};
  const request = {
    ...{ cluster: { name, uid }, region, fleet: fleet.name, target: plan.target },
    ...{ policy, materials, timings, planDigest: plan.digest },
    ...given,
    ...takeOver,
  };
  return startRun(client, request, { files });
}

/** Says that a run was started, and how to follow it. */
export function showStarted(cli: Cli, { plan }: Ready, { workflowId, runId }: Started): void {
  const { name } = plan.cluster;
  const next = watchCommand(name, cli.options);
  if (isText(cli)) {
    const mark = cli.theme.mark('running');
    cli.terminal.out(
      `${mark} ${name}: started, target ${plan.target.toUpperCase()} (${workflowId})\nNext: ${next}\n`,
    );
    return;
  }
  const { target } = plan;
  printDocument(cli, 'RunStarted', { workflowId, runId, cluster: name, target, next });
}
