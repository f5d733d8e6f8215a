import type { ClusterObservation } from '../observation.js';

/** All worker kubelets use the other provider setting. */
export function switchedKubelets(
  observation: ClusterObservation,
  to: 'inTree' | 'external',
): ClusterObservation {
  const { workers } = observation.inventory;
  const counts =
    to === 'external'
      ? { kubeletInTree: 0, kubeletExternal: workers.kubeletInTree + workers.kubeletExternal }
      : { kubeletExternal: 0, kubeletInTree: workers.kubeletInTree + workers.kubeletExternal };
  return {
    ...observation,
    inventory: { ...observation.inventory, workers: { ...workers, ...counts } },
  };
}
