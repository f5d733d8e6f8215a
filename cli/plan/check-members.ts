import type { Fleet } from '../../config/fleet.js';
import { settingsOf } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { decisiveDigest } from '../../domain/decision/decisive-digest.js';
import type { PreflightReport } from '../../domain/preflight/preflight.js';
import type { Cli } from '../cli.js';
import { inspectFromHere, preflightOf } from './inspect-cluster.js';
import type { Unread } from './read-clusters.js';
import { readClusters, unreadBecause } from './read-clusters.js';

/** What a check of a fleet keeps of one cluster: without its observation, which is large. */
export interface ReadMember extends PreflightReport {
  readonly kind: 'read';
  readonly name: string;
  readonly uid: string;
  readonly observationDigest: string;
  /** Not empty where it has no node access. */
  readonly notChecked: readonly string[];
}

/** A cluster that could not be read: nothing is known of it. */
export interface UnreadMember {
  readonly kind: 'unread';
  readonly name: string;
  readonly why: Unread;
}

export type CheckedMember = ReadMember | UnreadMember;

/** The preflight of every cluster of a fleet, each with the policy of its wave. */
export async function checkMembers(cli: Cli, fleet: Fleet): Promise<readonly CheckedMember[]> {
  return readClusters(cli, fleet, {
    read: async (cluster) => checkMember(fleet, cluster, cli.signal),
    told: (read) => `${read.filter(({ kind }) => kind === 'unread').length} of them cannot be read`,
  });
}

async function checkMember(
  fleet: Fleet,
  cluster: InventoryCluster,
  signal: AbortSignal,
): Promise<CheckedMember> {
  const { name } = cluster;
  const settings = settingsOf(fleet, cluster);
  try {
    const inspected = await inspectFromHere(cluster, settings, signal);
    const { uid, notChecked, inspection } = inspected;
    const observationDigest = decisiveDigest(inspection.snapshot.observation);
    const report = preflightOf(inspected, settings);
    return { kind: 'read', name, uid, observationDigest, notChecked, ...report };
  } catch (error) {
    return { kind: 'unread', name, why: unreadBecause(cluster, error, signal) };
  }
}
