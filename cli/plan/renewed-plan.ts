import { isRecord } from '../../domain/run/operator-command.js';
import { dirname, resolve } from 'node:path';
import type { RunSettings } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { loadInventory } from '../../config/loaded-inventories.js';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { CliError } from '../cli-error.js';
import { makePlan } from './make-plan.js';
import { pathFrom } from './plan-document.js';
import { shortDigest } from './plan-text.js';

export interface Renewed {
  readonly plan: MigrationPlan;
  readonly cluster: InventoryCluster;
  readonly fleet: RunSettings;
  /** What the plan was made from, as given from here. */
  readonly files: readonly string[];
}

const MOST_SHOWN = 10;

/**
 * A saved plan, recomputed from the cluster as it is now with the saved policy. With the same digest it is still valid;
 * with another it is refused with what changed.
 */
export async function renewedPlan(
  path: string,
  saved: MigrationPlan,
  signal: AbortSignal,
): Promise<Renewed> {
  const inventoryFile = resolve(dirname(path), saved.inventoryFile);
  const clusters = await loadInventory(inventoryFile);
  const cluster = clusters.find(({ name }) => name === saved.cluster.name);
  if (cluster === undefined) {
    throw new CliError('CCM5008', `${saved.cluster.name} is no longer in ${inventoryFile}`);
  }
  const fleet = settingsOf(saved);
  const plan = await makePlan({ fleet, cluster, target: saved.target, signal });
  if (plan.cluster.uid !== saved.cluster.uid) throw rebuilt(path, saved, plan);
  if (plan.digest !== saved.digest) throw stale(saved, plan);
  const given = saved.files ?? [saved.inventoryFile];
  const files = given.map((file) => pathFrom('.', resolve(dirname(path), file)));
  return { plan, cluster, fleet, files };
}

/** Only a plan that is no preview may start a run. */
export function refusePreview(path: string, saved: MigrationPlan): void {
  if (saved.notChecked.length > 0) throw preview(path, saved);
}

function settingsOf({ fleet, policy, timings, materials }: MigrationPlan): RunSettings {
  return { name: fleet, policy, timings, materials };
}

function preview(path: string, { cluster, notChecked }: MigrationPlan): CliError {
  return new CliError(
    'CCM4002',
    `${path} is a preview: it was made without access to the nodes of ${cluster.name}`,
    {
      why: `These were presumed, not checked: ${notChecked.join('; ')}.`,
      fix: 'Configure nodeAccess for this cluster in the inventory and plan again: a plan made with node access can be applied.',
      state: 'nothing was changed',
      cluster: cluster.name,
    },
  );
}

/** What differs in it says nothing: it is not the cluster that was planned. */
function rebuilt(path: string, saved: MigrationPlan, now: MigrationPlan): CliError {
  return new CliError(
    'CCM4010',
    `${saved.cluster.name}: ${path} was made for the cluster ${saved.cluster.uid}, and ${now.cluster.uid} answers`,
    {
      why: 'It was rebuilt since, or its kubeconfig leads to another cluster.',
      fix: 'If it was rebuilt, correct uid in the inventory where that pins it, and plan again. Else correct the kubeconfig.',
      state: 'nothing was changed',
      cluster: saved.cluster.name,
    },
  );
}

function stale(saved: MigrationPlan, now: MigrationPlan): CliError {
  const changed = differences(saved.observation, now.observation);
  const lines = changed
    .slice(0, MOST_SHOWN)
    .map(({ path, before, after }) => `\n          ${path}: ${before} → ${after}`);
  const more =
    changed.length > MOST_SHOWN
      ? `\n          and ${String(changed.length - MOST_SHOWN)} more`
      : '';
  return new CliError(
    'CCM4001',
    `${saved.cluster.name}: ${shortDigest(saved.digest)} was planned, the cluster now gives ${shortDigest(now.digest)}`,
    {
      why: `Since ${saved.createdAt} this changed:${lines.join('')}${more}`,
      state: 'nothing was changed',
    },
  );
}

/** One place where two pieces of JSON differ; values are shortened for people. */
export interface Difference {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Where two plain JSON values differ, in the order of their keys. Lists of named things are matched by name. */
export function differences(before: unknown, after: unknown, path = ''): readonly Difference[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) =>
      differences(before[key], after[key], path === '' ? key : `${path}.${key}`),
    );
  }
  const [named, others] = [byName(before), byName(after)];
  if (named !== null && others !== null) return differences(named, others, path);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => differences(item, after[index], `${path}.${index}`));
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path, before: shown(before), after: shown(after) }];
}

function byName(value: unknown): Readonly<Record<string, unknown>> | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const pairs = value.map((item: unknown) => [isRecord(item) ? item['name'] : null, item] as const);
  const names = pairs.map(([name]) => name);
  const usable =
    names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return usable ? Object.fromEntries(pairs.map(([name, item]) => [String(name), item])) : null;
}

const LONGEST_SHOWN = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
