import type { ClusterObservation, ManagerSlot } from '../observation.js';
import { startedProcess, withSlot } from './processes.js';

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

/** What time brings by itself: each kubelet starts what lies in its manifests folder and does not run yet. */
export function startedByKubelets(observation: ClusterObservation): ClusterObservation {
  const places = observation.nodes.flatMap(({ name }) =>
    (['kcm', 'ccm'] as const).map((manager) => ({ name, manager })),
  );
  return places.reduce(
    (current, { name, manager }) =>
      withSlot(current, name, manager, (slot) => startedSlot(current, slot)),
    observation,
  );
}

function startedSlot(observation: ClusterObservation, slot: ManagerSlot): ManagerSlot {
  return slot.manifest.state === 'present' && slot.processes.length === 0
    ? { ...slot, processes: [startedProcess(observation, slot.manifest.config)] }
    : slot;
}
