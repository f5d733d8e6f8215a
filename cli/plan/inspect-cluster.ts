import { connectCluster } from '../../activities/adapters/connect.js';
import { quietScope, realClock } from '../../activities/dependencies.js';
import { observeSettled } from '../../activities/observe/observe-cluster.js';
import type { KubernetesApi } from '../../activities/ports.js';
import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import type { ClusterObservation } from '../../domain/observation.js';
import { Refusal } from '../refusal.js';

export interface Inspected {
  readonly uid: string;
  readonly observation: ClusterObservation;
}

/** Looks at a cluster from here, without Temporal; reads only. */
export async function inspectCluster(
  cluster: InventoryCluster,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Inspected> {
  const connection = await connectCluster(cluster);
  try {
    const uid = await identify(connection.api, cluster, fleet.timings.requestMs);
    const { observation } = await observeSettled(connection, realClock, quietScope(signal), {
      cluster: { name: cluster.name, uid },
      workflowId: '',
      runId: '',
      actor: '',
      reason: '',
      planDigest: '',
      policy: fleet.policy,
      timings: fleet.timings,
      sightings: [],
    });
    return { uid, observation };
  } finally {
    await connection.close();
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
