import { ClusterInventory } from './cluster-inventory.js';
import { FleetMigration } from './fleet-migration.js';
import { WrittenPolicy } from './migration-policy.js';

/** Every kind that people write, by its value of `kind:`. */
export const KINDS = { FleetMigration, ClusterInventory, MigrationPolicy: WrittenPolicy } as const;

export type KindName = keyof typeof KINDS;

export function isKindName(name: string): name is KindName {
  return Object.hasOwn(KINDS, name);
}

export const KIND_NAMES: readonly string[] = Object.keys(KINDS);
