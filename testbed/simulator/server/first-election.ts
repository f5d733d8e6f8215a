import { setTimeout as sleep } from 'node:timers/promises';
import { textAt } from '../../base/json.js';
import type { SimulatedCluster } from '../model.js';

const MANAGERS = ['kube-controller-manager', 'cloud-controller-manager'];
const POLL_EVERY_MS = 20;

/**
 * Resolves when a manager leads in each cluster: before its first election a cluster looks as if it had no owner. A
 * cluster in which no manager is elected in time is served unchanged; it may be intended so.
 */
export async function firstElections(
  clusters: readonly SimulatedCluster[],
  withinMs: number,
): Promise<void> {
  const deadlineMs = Date.now() + withinMs;
  while (!clusters.every(hasLeader) && Date.now() < deadlineMs) await sleep(POLL_EVERY_MS);
}

function hasLeader({ store }: SimulatedCluster): boolean {
  return MANAGERS.some((name) => {
    const answer = store.get({ resource: 'leases', namespace: 'kube-system', name });
    return answer.ok && textAt(answer.object, 'spec', 'holderIdentity') !== '';
  });
}
