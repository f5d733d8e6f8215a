import type { RunSettings } from '../../config/fleet.js';
import { loadFleets, settingsOf, unkeptAlone } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { didYouMean } from '../../config/nearest-name.js';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { previewPlan } from '../../domain/model/plan-preview.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { Target } from '../../domain/vocabulary.js';
import type { Cli } from '../cli.js';
import { CliError, UsageError } from '../cli-error.js';
import { toolVersion } from '../tool-version.js';
import { inspectFromHere, preflightFindings } from './inspect-cluster.js';
import { planDocument } from './plan-document.js';
import { stepChanges } from './step-changes.js';

export interface PlanOptions {
  readonly fleet: RunSettings;
  readonly cluster: InventoryCluster;
  readonly target: Target;
  readonly signal: AbortSignal;
  /** Folder that the plan is written to; the working directory unless given. */
  readonly folder?: string;
}

/** Observes the cluster and plans from that, by the same rules that a run decides by. */
export async function makePlan(order: PlanOptions): Promise<MigrationPlan> {
  return (await observeAndPlan(order)).plan;
}

/** The same with the observation, holders and times included: a plan leaves out what changes from second to second. */
export async function observeAndPlan({
  fleet,
  cluster,
  target,
  signal,
  folder = '.',
}: PlanOptions): Promise<{
  readonly plan: MigrationPlan;
  readonly observation: ClusterObservation;
}> {
  const inspected = await inspectFromHere(cluster, fleet, signal);
  const { observation } = inspected.inspection.snapshot;
  const { policy, materials } = fleet;
  const preview = previewPlan(observation, target, policy);
  const { steps } = preview;
  const plan = planDocument({
    fleet,
    cluster,
    target,
    folder,
    inspected,
    findings: preflightFindings(inspected, fleet, target),
    preview,
    changes: stepChanges({ steps, inspection: inspected.inspection, policy, materials }),
    tool: await toolVersion(),
    createdAt: new Date().toISOString(),
  });
  return { plan, observation };
}

export interface Chosen {
  readonly fleet: RunSettings;
  readonly cluster: InventoryCluster;
  /** What its wave promises that a run of this cluster alone would not keep. */
  readonly unkept: readonly string[];
}

/**
 * The same, to be migrated alone.
 * @throws CliError CCM5031 where that would ignore what its wave promises.
 */
export async function clusterToMigrate(cli: Cli): Promise<Chosen> {
  const chosen = await chosenCluster(cli);
  if (chosen.unkept.length === 0) return chosen;
  const { name } = chosen.cluster;
  throw new CliError('CCM5031', `${name}: its wave has ${chosen.unkept.join(' and ')}`);
}

/** The cluster that `-f` and `--cluster` mean. */
export async function chosenCluster({ options }: Cli): Promise<Chosen> {
  const files = options.texts('file');
  if (files.length === 0) throw new UsageError('-f is required: files or folders of the fleet');
  const fleets = await loadFleets(files);
  const all = fleets.flatMap((fleet) => fleet.clusters.map((cluster) => ({ fleet, cluster })));
  const wanted = options.text('cluster');
  const matches = wanted === null ? all : all.filter(({ cluster }) => cluster.name === wanted);
  const [first, second] = matches;
  const names = all.map(({ cluster }) => cluster.name);
  if (first === undefined) {
    throw new UsageError(
      `--cluster ${wanted ?? ''}: not in these files${didYouMean(wanted ?? '', names)}`,
    );
  }
  if (second !== undefined) {
    throw new UsageError(
      `the files name several clusters: choose one with --cluster (${names.join(', ')})`,
    );
  }
  const { fleet, cluster } = first;
  return { cluster, fleet: settingsOf(fleet, cluster), unkept: unkeptAlone(fleet, cluster) };
}

export function chosenTarget({ options }: Cli): Target {
  return options.text('target') === 'kcm' ? 'kcm' : 'ccm';
}
