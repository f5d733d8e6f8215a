import { connectCluster } from '../../activities/adapters/connect.js';
import {
  NOT_LOOKED_AT,
  presumedNodeAccess,
} from '../../activities/adapters/node-access-presumed.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import type { Inspection } from '../../activities/inspection.js';
import { inspectCluster as inspect } from '../../activities/inspection.js';
import type { KubernetesApi } from '../../activities/ports.js';
import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import { refusalAt } from '../refusal-of-failure.js';
import { Refusal } from '../refusal.js';

export interface Inspected {
  readonly uid: string;
  readonly inspection: Inspection;
  /** In words; not empty where the cluster gives no node access: then all that nodes would say is presumed. */
  readonly notLookedAt: readonly string[];
}

/** Looks at a cluster from here, without Temporal; reads only. Without node access it is a preview. */
export async function inspectCluster(
  cluster: InventoryCluster,
  { policy, timings, materials }: Pick<Fleet, 'policy' | 'timings' | 'materials'>,
  signal: AbortSignal,
): Promise<Inspected> {
  try {
    return await inspectHere(cluster, { policy, timings, materials }, signal);
  } catch (error) {
    throw refusalAt(cluster.name, error);
  }
}

async function inspectHere(
  cluster: InventoryCluster,
  { policy, timings, materials }: Pick<Fleet, 'policy' | 'timings' | 'materials'>,
  signal: AbortSignal,
): Promise<Inspected> {
  const connection = await connectCluster(cluster);
  try {
    const uid = await identify(connection.api, cluster, timings.requestMs);
    const named = { name: cluster.name, uid };
    const isPreview = cluster.nodeAccess.kind === 'none';
    const ports = isPreview
      ? { ...connection, ...presumedNodeAccess(cluster.name, connection.api) }
      : connection;
    return {
      uid,
      inspection: await inspect(ports, {
        cluster: named,
        ...{ policy, timings, materials, signal },
      }),
      notLookedAt: isPreview ? NOT_LOOKED_AT : [],
    };
  } finally {
    await connection.close();
    // Nothing else here uses the cluster, and an SSH connection would keep the command waiting for its end.
    await closeTransports();
  }
}

/** UID of kube-system: what the cluster is, whatever it is called here. */
async function identify(
  api: KubernetesApi,
  cluster: InventoryCluster,
  timeoutMs: number,
): Promise<string> {
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
  const uid = (await api.get(ref, { timeoutMs }))?.object.metadata?.uid ?? '';
  if (uid === '') {
    throw new Refusal('CCM4010', `${cluster.name}: no namespace kube-system behind its address`);
  }
  if (cluster.uid !== undefined && cluster.uid !== uid) {
    throw new Refusal(
      'CCM4010',
      `${cluster.name}: its address answers as ${uid}, the inventory says ${cluster.uid}`,
    );
  }
  return uid;
}
