import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import { printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import type { Ready } from '../plan/agreed-plan.js';
import { agreedPlan, refuseWithoutNodes } from '../plan/agreed-plan.js';
import { clusterToMigrate, chosenTarget, makePlan } from '../plan/make-plan.js';
import { readAppliable, renewedPlan } from '../plan/renewed-plan.js';
import { UsageError } from '../cli-error.js';
import { withTemporal } from '../runs/connection.js';
import { sayDetached } from '../runs/detached.js';
import { refuseUnserved } from '../runs/queue-pollers.js';
import { attribution, showStarted, startPlanned } from '../runs/start-run.js';
import { followRun } from '../screens/follow-run.js';

/**
 * `apply`: starts the migration of one cluster by a plan that is still valid. It checks that a run can start before it
 * asks for confirmation. A saved plan was reviewed when it was made, so it needs no second confirmation, as with
 * `terraform apply FILE`.
 */
export async function apply(cli: Cli): Promise<ExitStatus> {
  const who = await attribution(cli);
  const order = await orderOf(cli);
  return withTemporal(cli, async (client) => {
    // Before the observation and the confirmation, so that the operator does not read a plan in vain; `startPlanned`
    // checks again for what changed meanwhile.
    if (!cli.options.flag('withoutWorkers')) await refuseUnserved(client, order.region);
    const ready = await order.ready();
    switch (await agreedPlan(cli, ready, order.isSaved ? 'agreedOn' : 'asked')) {
      case 'empty':
        return 'reached';
      case 'declined':
        cli.terminal.err('nothing was changed\n');
        return 'refused';
      case 'agreed': {
        const started = await startPlanned(cli, client, ready, { ...who, wave: '' });
        if (cli.options.flag('watch')) return follow(cli, client, started.workflowId);
        showStarted(cli, ready, started);
        return 'reached';
      }
    }
  });
}

interface Order {
  readonly region: string;
  readonly isSaved: boolean;
  /** Observes the cluster. */
  readonly ready: () => Promise<Ready>;
}

/**
 * The plan to apply: a saved one that is still valid, or a new one from files. Problems visible in files alone are
 * refused at once.
 */
async function orderOf(cli: Cli): Promise<Order> {
  const [path] = cli.arguments;
  if (path !== undefined) {
    const saved = await readAppliable(path);
    const ready = (): Promise<Ready> => renewedPlan(path, saved, cli.signal);
    return { region: saved.cluster.region, isSaved: true, ready };
  }
  if (cli.options.texts('file').length === 0) {
    throw new UsageError('give a plan (ccm-migrate apply plan.json) or files (-f)');
  }
  const { fleet, cluster } = await clusterToMigrate(cli);
  refuseWithoutNodes(cluster);
  const ready = async (): Promise<Ready> => {
    const plan = await makePlan({ fleet, cluster, target: chosenTarget(cli), signal: cli.signal });
    return { plan, cluster, fleet, files: cli.options.texts('file') };
  };
  return { region: cluster.region, isSaved: false, ready };
}

async function follow(cli: Cli, client: Client, workflowId: string): Promise<ExitStatus> {
  const timeoutMs = cli.options.durationMs('timeout');
  const { exitStatus, view } = await followRun(cli, client, workflowId, {
    until: 'settled',
    deadlineMs: timeoutMs === null ? null : Date.now() + timeoutMs,
  });
  if (cli.output === 'json') printDocument(cli, 'RunStatus', { ...view });
  if (exitStatus === 'interrupted') {
    sayDetached(cli, view.cluster);
  }
  return exitStatus;
}
