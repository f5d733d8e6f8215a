import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import type { Ending } from '../endings.js';
import type { Ready } from '../plan/agreed-plan.js';
import { agreedPlan, refuseWithoutNodes } from '../plan/agreed-plan.js';
import { chosenCluster, chosenTarget } from '../plan/chosen-cluster.js';
import { makePlan } from '../plan/make-plan.js';
import { renewedPlan } from '../plan/renewed-plan.js';
import { printDocument } from '../print.js';
import { WrongUsage } from '../refusal.js';
import { attribution } from '../runs/actor.js';
import { withTemporal } from '../runs/connection.js';
import { followRun } from '../runs/follow-run.js';
import { showStarted, startPlanned } from '../runs/start-planned.js';

/** `apply`: starts the migration of one cluster by a plan that holds now. */
export async function apply(cli: Cli): Promise<Ending> {
  const who = await attribution(cli);
  const ready = await readyPlan(cli);
  switch (await agreedPlan(cli, ready)) {
    case 'empty':
      return 'reached';
    case 'declined':
      cli.terminal.err('nothing was changed\n');
      return 'refused';
    case 'agreed':
      return withTemporal(cli, async (client) => {
        const started = await startPlanned(cli, client, ready, { ...who, wave: '' });
        if (cli.options.flag('watch')) return follow(cli, client, started.workflowId);
        showStarted(cli, ready, started);
        return 'reached';
      });
  }
}

/** The plan to apply: a saved one that still holds, or a new one from files. */
async function readyPlan(cli: Cli): Promise<Ready> {
  const [path] = cli.arguments;
  if (path !== undefined) return renewedPlan(path, cli.signal);
  if (cli.options.texts('file').length === 0) {
    throw new WrongUsage('give a plan (ccm-migrate apply plan.json) or files (-f)');
  }
  const { fleet, cluster } = await chosenCluster(cli);
  refuseWithoutNodes(cluster);
  const plan = await makePlan({ fleet, cluster, target: chosenTarget(cli), signal: cli.signal });
  return { plan, cluster, fleet };
}

async function follow(cli: Cli, client: Client, workflowId: string): Promise<Ending> {
  const timeoutMs = cli.options.durationMs('timeout');
  const { ending, view } = await followRun(cli, client, workflowId, {
    until: 'settled',
    deadlineMs: timeoutMs === null ? null : Date.now() + timeoutMs,
  });
  if (cli.output === 'json') printDocument(cli, 'RunStatus', { ...view });
  if (ending === 'interrupted') {
    cli.terminal.err('detached; the run goes on. Follow it with `ccm-migrate status -w`\n');
  }
  return ending;
}
