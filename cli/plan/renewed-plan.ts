import { dirname, resolve } from 'node:path';
import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import { loadInventory } from '../../config/inventory.js';
import type { MigrationPlan } from '../../config/outputs/plan.js';
import { Refusal } from '../refusal.js';
import { differences } from './differences.js';
import { makePlan } from './make-plan.js';
import { pathFrom } from './path-from.js';
import { shortDigest } from './plan-text.js';
import { readPlan } from './read-plan.js';

export interface Renewed {
  readonly plan: MigrationPlan;
  readonly cluster: InventoryCluster;
  readonly fleet: Fleet;
  /** What the plan was made from, as it would be given from here. */
  readonly files: readonly string[];
}

const MOST_SHOWN = 10;

/**
 * A saved plan, made anew from the cluster as it is now with the policy that was saved. The same digest: it holds.
 * Another one: refused, with what changed.
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
    throw new Refusal('CCM5008', `${saved.cluster.name} is no longer in ${inventoryFile}`);
  }
  const fleet = fleetOf(saved, cluster, inventoryFile);
  const plan = await makePlan({ fleet, cluster, target: saved.target, signal });
  if (plan.digest !== saved.digest) throw stale(saved, plan);
  const given = saved.files ?? [saved.inventoryFile];
  const files = given.map((file) => pathFrom('.', resolve(dirname(path), file)));
  return { plan, cluster, fleet, files };
}

/** A saved plan that a run may be started from: a preview is none. */
export async function readAppliable(path: string): Promise<MigrationPlan> {
  const saved = await readPlan(path);
  if (saved.notLookedAt.length > 0) throw preview(path, saved);
  return saved;
}

function fleetOf(saved: MigrationPlan, cluster: InventoryCluster, inventoryFile: string): Fleet {
  const { fleet, policy, timings, materials } = saved;
  return { name: fleet, clusters: [cluster], policy, timings, materials, inventoryFile };
}

function preview(path: string, { cluster, notLookedAt }: MigrationPlan): Refusal {
  return new Refusal(
    'CCM4002',
    `${path} is a preview: it was made without access to the nodes of ${cluster.name}`,
    {
      why: `These were presumed, not looked at: ${notLookedAt.join('; ')}.`,
      fix: 'Configure nodeAccess for this cluster in the inventory, and plan again: a plan that was looked at can be applied.',
      state: 'nothing was changed',
      cluster: cluster.name,
    },
  );
}

function stale(saved: MigrationPlan, now: MigrationPlan): Refusal {
  const changed = differences(saved.observation, now.observation);
  const lines = changed
    .slice(0, MOST_SHOWN)
    .map(({ path, before, after }) => `\n          ${path}: ${before} → ${after}`);
  const more =
    changed.length > MOST_SHOWN
      ? `\n          and ${String(changed.length - MOST_SHOWN)} more`
      : '';
  const other = saved.cluster.uid === now.cluster.uid ? '' : '\n          it is another cluster';
  return new Refusal(
    'CCM4001',
    `${saved.cluster.name}: ${shortDigest(saved.digest)} was planned, the cluster now gives ${shortDigest(now.digest)}`,
    {
      why: `Since ${saved.createdAt} this changed:${other}${lines.join('')}${more}`,
      state: 'nothing was changed',
    },
  );
}
