import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedCluster } from '../model.js';

const MANAGERS = ['kube-controller-manager', 'cloud-controller-manager'];
const LOOK_EVERY_MS = 20;

/**
 * Ends when a manager of each cluster leads: before its first election a cluster looks like one that nobody owns. A cluster
 * in which nobody is elected in time is served as it is; it may have been made so.
 */
export async function firstElections(
  clusters: readonly SimulatedCluster[],
  withinMs: number,
): Promise<void> {
  const deadlineMs = Date.now() + withinMs;
  while (!clusters.every(hasLeader) && Date.now() < deadlineMs) await sleep(LOOK_EVERY_MS);
}

function hasLeader({ store }: SimulatedCluster): boolean {
  return MANAGERS.some((name) => {
    const answer = store.get({ resource: 'leases', namespace: 'kube-system', name });
    if (!answer.ok) return false;
    const { spec } = answer.object;
    return typeof spec === 'object' && spec !== null && 'holderIdentity' in spec
      ? spec.holderIdentity !== ''
      : false;
  });
}
