import type { Client } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { InventoryCluster } from '../../config/inventory.js';
import { loadInventories } from '../../config/inventory.js';
import { plannedPolicy, plannedTimings } from '../../config/outputs/planned-policy.js';
import type { ClusterMigrationInput } from '../../workflows/messages.js';
import type { Cli } from '../cli.js';
import type { Ready } from '../plan/agreed-plan.js';
import { lookAndPlan } from '../plan/make-plan.js';
import { Refusal, WrongUsage } from '../refusal.js';
import { effectLines } from './effect-lines.js';
import type { RunView } from './run-view.js';
import { inventoryPaths } from './server-address.js';
import { standingNow } from './standing-now.js';

/**
 * What the next run of a cluster is started with, for `verb`: policy and materials of its last run, and a plan of
 * its own. The cluster may have changed since, so what was shown for the last run says nothing about this one.
 */
export async function planTurnAround(
  cli: Cli,
  client: Client,
  last: RunView,
  verb: 'rollBack' | 'rollForward',
): Promise<Ready & { readonly wave: string }> {
  const input = await inputOf(client, last);
  const { cluster, files } = await clusterOf(cli, input);
  const { policy, timings } = stillKnown(input);
  const fleet = {
    ...{ name: input.fleet, clusters: [cluster], policy, timings, materials: input.materials },
    inventoryFile: files[0] ?? '.',
  };
  const target = verb === 'rollBack' ? 'kcm' : 'ccm';
  const { plan, observation } = await lookAndPlan({ fleet, cluster, target, signal: cli.signal });
  if (plan.cluster.uid !== input.cluster.uid) {
    throw new Refusal(
      'CCM4010',
      `${cluster.name}: its address answers as ${plan.cluster.uid}, the last run was of ${input.cluster.uid}`,
    );
  }
  const standing = standingNow(observation, policy, last.outcome?.stepsDone ?? null);
  // What was given now is there; what the last run was started from may be on another machine, or gone.
  const given = cli.options.texts('file');
  return {
    ...{ plan, cluster, fleet, wave: input.wave },
    files: given.length > 0 ? given : last.files,
    effect: effectLines(verb, standing),
  };
}

/** How the cluster of a run is reached from here. A run never carries that. */
async function clusterOf(
  cli: Cli,
  { cluster }: ClusterMigrationInput,
): Promise<{ readonly cluster: InventoryCluster; readonly files: readonly string[] }> {
  const files = await inventoryPaths(cli);
  if (files.length === 0) {
    throw new WrongUsage(
      `the run of ${cluster.name} has ended, so the next one is planned first: name its inventory with -f`,
    );
  }
  const found = (await loadInventories(files)).find(({ name }) => name === cluster.name);
  if (found !== undefined) return { cluster: found, files };
  throw new Refusal('CCM5008', `${cluster.name} is not in ${files.join(', ')}`);
}

/** A run of another version may have been started with less, or with what nobody here knows. */
function stillKnown(
  input: ClusterMigrationInput,
): Pick<ClusterMigrationInput, 'policy' | 'timings'> {
  const [policy, timings] = [
    plannedPolicy.safeParse(input.policy),
    plannedTimings.safeParse(input.timings),
  ];
  if (policy.success && timings.success) return { policy: policy.data, timings: timings.data };
  throw fromFiles(`${input.cluster.name}: its last run had a policy of another version`);
}

/** What a run was started with, as its history says. */
export async function inputOf(client: Client, run: RunView): Promise<ClusterMigrationInput> {
  const history = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const payloads = started?.input?.payloads ?? [];
  if (payloads.length === 0)
    throw fromFiles(`${run.workflowId}: its history no longer says what it was given`);
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, payloads);
}

function fromFiles(what: string): Refusal {
  return new Refusal('CCM4022', what, {
    fix: 'Start it from its files: `ccm-migrate apply -f FILES --target kcm` (or ccm).',
  });
}
