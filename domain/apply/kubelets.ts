import type { ClusterObservation } from '../observation.js';

/** The cluster after all worker kubelets have switched to the other provider. */
export function switchedKubelets(
  observation: ClusterObservation,
  to: 'inTree' | 'external',
): ClusterObservation {
  const { workers } = observation.inventory;
  const counts =
    to === 'external'
      ? { kubeletInTree: 0, kubeletExternal: workers.total }
      : { kubeletExternal: 0, kubeletInTree: workers.total };
  return {
    ...observation,
    inventory: { ...observation.inventory, workers: { ...workers, ...counts } },
  };
}
