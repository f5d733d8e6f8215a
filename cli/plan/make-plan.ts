import type { Fleet, RunSettings } from '../../config/fleet.js';
import { loadFleets, settingsOf, unkeptAlone } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { didYouMean } from '../../config/nearest-name.js';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { previewApproved } from '../../domain/model/plan-preview.js';
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
  const preview = previewApproved(observation, target, policy);
  const { steps } = preview;
  const plan = planDocument({
    fleet,
    cluster,
    target,
    folder,
    inspected,
    findings: [
      ...preflightFindings(inspected, fleet, target),
      // The run begins, and holds until they are approved.
      ...preview.asked.map((finding) => ({ ...finding, severity: 'warning' as const })),
    ],
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

/** What the files and `--cluster` choose: one cluster that migrates alone, or a whole fleet. */
export type ChosenMigration =
  | { readonly kind: 'cluster'; readonly chosen: Chosen }
  | { readonly kind: 'fleet'; readonly fleet: Fleet };

/** What `-f` and `--cluster` mean: several clusters of one fleet without `--cluster` are that fleet. */
export async function chosenToRead(cli: Cli): Promise<ChosenMigration> {
  const fleets = await fleetsOf(cli);
  const [first, second] = fleets;
  const isFleet = cli.options.text('cluster') === null && first !== undefined;
  return isFleet && first.clusters.length > 1 && second === undefined
    ? { kind: 'fleet', fleet: first }
    : { kind: 'cluster', chosen: oneCluster(cli, fleets) };
}

/** The same where one cluster is needed. */
export async function chosenCluster(cli: Cli): Promise<Chosen> {
  const choice = await chosenToRead(cli);
  if (choice.kind === 'cluster') return choice.chosen;
  throw new UsageError('choose one cluster of the fleet with --cluster');
}

/**
 * The same, to be migrated.
 * @throws CliError CCM5031 where a cluster alone would ignore what its wave promises.
 */
export async function chosenMigration(cli: Cli): Promise<ChosenMigration> {
  const choice = await chosenToRead(cli);
  if (choice.kind === 'fleet') {
    if (chosenTarget(cli) === 'ccm') return choice;
    throw new UsageError(
      '--target kcm: a fleet migrates to the CCM; roll its run back, or name one cluster with --cluster',
    );
  }
  const { cluster, unkept } = choice.chosen;
  if (unkept.length === 0) return choice;
  throw new CliError('CCM5031', `${cluster.name}: its wave has ${unkept.join(' and ')}`);
}

async function fleetsOf({ options }: Cli): Promise<readonly Fleet[]> {
  const files = options.texts('file');
  if (files.length === 0) throw new UsageError('-f is required: files or folders of the fleet');
  return loadFleets(files);
}

function oneCluster({ options }: Cli, fleets: readonly Fleet[]): Chosen {
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
