import { dirname, resolve } from 'node:path';
import type { Fleet } from '../../config/fleet.js';
import type { FleetPlanDocument } from '../../config/outputs/fleet-plan-document.js';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import { CliError } from '../cli-error.js';
import { confirm } from '../confirm.js';
import type { ExitStatus } from '../exit-status.js';
import { openFleetView } from '../fleets/fleet-run.js';
import { reviseOpenFleet } from '../fleets/revise-open-fleet.js';
import { startFleet, type StartedFleet } from '../fleets/start-fleet.js';
import { fleetSigner } from '../authority/seal.js';
import { fleetPlanSummary, fleetPlanText } from '../plan/fleet-plan-text.js';
import { makeFleetPlan } from '../plan/make-fleet-plan.js';
import { pathFrom } from '../plan/plan-document.js';
import { shortDigest } from '../plan/plan-text.js';
import { withTemporal } from '../runs/connection.js';
import { noteFullRegions } from '../runs/full-regions.js';
import { refuseUnservedFleet } from '../runs/queue-pollers.js';
import type { Attribution } from '../runs/start-run.js';
import { counted } from '../terminal/wording.js';
import { watchFleet } from './status-fleet.js';
import { watchCommand } from '../typed-command.js';

/** What a fleet is applied from: a saved plan, or files that are planned now. */
export interface FleetOrderSource {
  readonly regions: readonly string[];
  /** As given from here. */
  readonly files: readonly string[];
  readonly plan: () => Promise<FleetPlanDocument>;
}

/** A saved plan needs no files: each run compares its cluster with the plan before it changes anything. */
export function fromSavedPlan(path: string, saved: FleetPlanDocument): FleetOrderSource {
  return {
    regions: [...new Set(saved.clusters.map(({ region }) => region))],
    files: saved.files.map((file) => pathFrom('.', resolve(dirname(path), file))),
    plan: async () => saved,
  };
}

export function fromFleetFiles(cli: Cli, fleet: Fleet): FleetOrderSource {
  return {
    regions: [...new Set(fleet.clusters.map(({ region }) => region))],
    files: cli.options.texts('file'),
    plan: async () => makeFleetPlan(cli, fleet, '.'),
  };
}

/** `apply` for a fleet: checks that it can start before it observes clusters and asks. */
export async function applyFleet(
  cli: Cli,
  who: Attribution,
  { regions, files, plan: planned }: FleetOrderSource,
): Promise<ExitStatus> {
  return withTemporal<ExitStatus>(cli, async (client) => {
    const isServed = async (of: readonly string[]): Promise<void> => {
      if (!cli.options.flag('withoutWorkers')) await refuseUnservedFleet(client, of);
    };
    await isServed(regions);
    if (!cli.options.flag('withoutWorkers')) await noteFullRegions(cli, client, regions);
    const plan = await planned();
    show(cli, plan);
    if (plan.clusters.length === 0) return nothingToStart(cli, plan);
    const open = await openFleetView(client, plan.fleet);
    if (open !== null) {
      const revised = await reviseOpenFleet(cli, client, { open, plan, who, files });
      const watches = cli.options.flag('watch') && revised === 'reached';
      return watches ? watchFleet(cli, client, plan.fleet) : revised;
    }
    if (!(await confirmed(cli, plan))) {
      cli.terminal.err('nothing was changed\n');
      return 'refused';
    }
    // Again: the confirmation may have taken an hour.
    await isServed(regions);
    const started = await startFleet(client, plan, who, files, await fleetSigner(cli));
    if (cli.options.flag('watch')) return watchFleet(cli, client, plan.fleet);
    return afterStart(cli, plan, started);
  });
}

function show(cli: Cli, plan: FleetPlanDocument): void {
  if (!isText(cli)) return;
  const { width = Infinity } = screen(cli);
  cli.terminal.err(
    cli.options.flag('full')
      ? fleetPlanText(plan, cli.theme, { full: true, width })
      : fleetPlanSummary(plan, cli.theme, width),
  );
}

/** @throws CliError when every cluster is left out for a reason. */
export function nothingToStart(cli: Cli, { fleet, skipped }: FleetPlanDocument): ExitStatus {
  const [first] = skipped.filter(({ kind }) => kind !== 'nothingToDo');
  if (first === undefined) return nothingToDo(cli, fleet);
  throw new CliError(
    'CCM4042',
    `fleet ${fleet}: no cluster can start; ${first.name}: ${first.seen}`,
    {
      ...{ exitStatus: 'checksFailed', fix: first.fix, state: 'nothing was changed' },
    },
  );
}

function nothingToDo(cli: Cli, fleet: string): ExitStatus {
  if (!isText(cli)) {
    printDocument(cli, 'FleetCommandResult', {
      ...{ fleet, scope: fleet, verb: 'apply', commandId: '', state: 'nothingToDo' },
      ...{ detail: 'no cluster has steps', applied: 0, refused: 0, reach: null },
    });
  }
  return 'reached';
}

/** Deleting machines takes the fleet's name; everything else a yes. */
async function confirmed(cli: Cli, { fleet, digest, totals }: FleetPlanDocument): Promise<boolean> {
  const deleted = totals.machinesDeleted;
  const machines = deleted === 0 ? '' : `, DELETE ${counted(deleted, 'control-plane machine')}`;
  const what = `apply ${shortDigest(digest)} to fleet ${fleet}: ${counted(totals.clusters, 'cluster')}, target CCM${machines}`;
  return confirm(cli, { tier: deleted === 0 ? 'simple' : 'typed', what, name: fleet });
}

function afterStart(
  cli: Cli,
  { fleet, clusters }: FleetPlanDocument,
  { workflowId, runId }: StartedFleet,
): ExitStatus {
  const next = watchCommand(fleet, cli.options);
  if (!isText(cli)) {
    printDocument(cli, 'FleetStarted', {
      fleet,
      workflowId,
      runId,
      clusters: clusters.length,
      next,
    });
    return 'reached';
  }
  const mark = cli.theme.mark('running');
  cli.terminal.out(
    `${mark} ${fleet}: started, ${counted(clusters.length, 'cluster')} (${workflowId})\nNext: ${next}\n`,
  );
  return 'reached';
}
