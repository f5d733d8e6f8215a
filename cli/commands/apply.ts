import type { Client } from '@temporalio/client';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import type { Cli } from '../cli.js';
import { printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import type { Ready } from '../plan/agreed-plan.js';
import { agreedPlan, nothingToDo, refuseWithoutNodes } from '../plan/agreed-plan.js';
import { chosenMigration, chosenTarget, makePlan } from '../plan/make-plan.js';
import { refusePreview, renewedPlan } from '../plan/renewed-plan.js';
import { readSavedPlan } from '../plan/saved-plan.js';
import { UsageError } from '../cli-error.js';
import { withTemporal } from '../runs/connection.js';
import { sayDetached } from '../runs/detached.js';
import type { FleetOrderSource } from './apply-fleet.js';
import { noteFullRegions } from '../runs/full-regions.js';
import { refuseUnserved } from '../runs/queue-pollers.js';
import type { Attribution } from '../runs/start-run.js';
import { attribution, refuseOpenRun, showStarted, startPlanned } from '../runs/start-run.js';
import { watchDeadlineMs, watchTimeMs } from '../runs/watch-time.js';
import { followRun } from '../screens/follow-run.js';

/**
 * `apply`: starts the migration of one cluster or of a fleet by a plan that is still valid. It checks that a run can start before it
 * asks for confirmation. A saved plan was reviewed when it was made, so it needs no second confirmation, as with
 * `terraform apply FILE`.
 */
export async function apply(cli: Cli): Promise<ExitStatus> {
  watchTimeMs(cli, cli.options.flag('watch'));
  refuseWithSavedPlan(cli);
  const who = await attribution(cli);
  const order = await orderOf(cli);
  if (order.kind === 'cluster') return applyCluster(cli, who, order);
  refuseTakeOver(cli);
  return (await import('./apply-fleet.js')).applyFleet(cli, who, order.source);
}

/** It displaces the run of one cluster, for a reason that is about that run. */
function refuseTakeOver({ options }: Cli): void {
  if (!options.flag('takeOver')) return;
  throw new UsageError(
    '--take-over is for one cluster, and this is a fleet: nothing was started. Take the cluster over with --cluster NAME, and then apply the fleet without it',
  );
}

async function applyCluster(cli: Cli, who: Attribution, order: ClusterOrder): Promise<ExitStatus> {
  return withTemporal(cli, async (client) => {
    if (order.planned !== null) await refuseOpenRun(client, order.planned, cli.options);
    // Before the observation and the confirmation, so that the operator does not read a plan in vain; `startPlanned`
    // checks again for what changed meanwhile.
    if (!cli.options.flag('withoutWorkers')) await requireServed(cli, client, order.region);
    const ready = await order.ready();
    switch (await agreedPlan(cli, ready, order.planned !== null ? 'agreedOn' : 'asked')) {
      case 'empty':
        return nothingToDo(cli, 'apply', ready);
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

async function requireServed(cli: Cli, client: Client, region: string): Promise<void> {
  await refuseUnserved(client, region);
  await noteFullRegions(cli, client, [region]);
}

interface ClusterOrder {
  readonly kind: 'cluster';
  readonly region: string;
  /** The cluster of a saved plan; null where the plan is still to be made. */
  readonly planned: MigrationPlan['cluster'] | null;
  /** Observes the cluster. */
  readonly ready: () => Promise<Ready>;
}

type ApplyOrder = ClusterOrder | { readonly kind: 'fleet'; readonly source: FleetOrderSource };

/**
 * The plan to apply: a saved one that is still valid, or a new one from files. Problems visible in files alone are
 * refused at once.
 */
async function orderOf(cli: Cli): Promise<ApplyOrder> {
  const [path] = cli.arguments;
  if (path !== undefined) return savedOrder(cli, path);
  if (cli.options.texts('file').length === 0) {
    throw new UsageError('give a plan (ccm-migrate apply plan.json) or files (-f)');
  }
  const choice = await chosenMigration(cli);
  if (choice.kind === 'fleet') {
    const { fromFleetFiles } = await import('./apply-fleet.js');
    return { kind: 'fleet', source: fromFleetFiles(cli, choice.fleet) };
  }
  const { fleet, cluster } = choice.chosen;
  refuseWithoutNodes(cluster);
  const ready = async (): Promise<Ready> => {
    const plan = await makePlan({ fleet, cluster, target: chosenTarget(cli), signal: cli.signal });
    return { plan, cluster, fleet, files: cli.options.texts('file') };
  };
  return { kind: 'cluster', region: cluster.region, planned: null, ready };
}

async function savedOrder(cli: Cli, path: string): Promise<ApplyOrder> {
  const saved = await readSavedPlan(path);
  if (saved.kind === 'FleetPlan') {
    const { fromSavedPlan } = await import('./apply-fleet.js');
    return { kind: 'fleet', source: fromSavedPlan(path, saved) };
  }
  refusePreview(path, saved);
  const ready = (): Promise<Ready> => renewedPlan(path, saved, cli.signal);
  return { kind: 'cluster', region: saved.cluster.region, planned: saved.cluster, ready };
}

/** What a saved plan says by itself. */
const DECIDED_BY_PLAN = [
  ['target', '--target'],
  ['cluster', '--cluster'],
  ['file', '-f'],
] as const;

/** A flag that was ignored would let an operator believe that another cluster or another direction was chosen. */
function refuseWithSavedPlan({ options, arguments: [path] }: Cli): void {
  if (path === undefined) return;
  const typed = DECIDED_BY_PLAN.find(([name]) => options.isTyped(name));
  if (typed === undefined) return;
  throw new UsageError(
    `${typed[1]} is decided by the saved plan ${path}: leave it out, or make a new plan with it (\`ccm-migrate plan -f … --out …\`)`,
  );
}

async function follow(cli: Cli, client: Client, workflowId: string): Promise<ExitStatus> {
  const { exitStatus, view } = await followRun(cli, client, workflowId, {
    until: 'settled',
    deadlineMs: watchDeadlineMs(cli),
  });
  if (cli.output === 'json') printDocument(cli, 'RunStatus', { ...view });
  if (exitStatus === 'interrupted') {
    sayDetached(cli, view.cluster);
  }
  return exitStatus;
}
