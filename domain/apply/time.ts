import type { ClusterObservation, ManagerProcess, ManagerSlot } from '../observation.js';
import { startsTrying } from './elections.js';
import { startedProcess, withSlot } from './processes.js';
import { MANAGERS } from '../vocabulary.js';

/**
 * What time brings by itself: each kubelet starts what lies in its manifests folder and does not run yet, and whoever
 * leads its main lock comes to try the migration lock.
 */
export function afterAWhile(observation: ClusterObservation): ClusterObservation {
  const places = observation.nodes.flatMap(({ name }) =>
    MANAGERS.map((manager) => ({ name, manager })),
  );
  return places.reduce(
    (current, { name, manager }) =>
      withSlot(current, name, manager, (slot) => slotAfterAWhile(current, slot)),
    observation,
  );
}

function slotAfterAWhile(observation: ClusterObservation, slot: ManagerSlot): ManagerSlot {
  if (slot.processes.length > 0) {
    return { ...slot, processes: slot.processes.map((process) => trying(observation, process)) };
  }
  return slot.manifest.state === 'present'
    ? { ...slot, processes: [startedProcess(observation, slot.manifest.config)] }
    : slot;
}

function trying(observation: ClusterObservation, process: ManagerProcess): ManagerProcess {
  const { liveness, locks } = process;
  return liveness === 'running' && locks.main === 'held' && locks.migration === 'notTried'
    ? { ...process, locks: { ...locks, migration: startsTrying(observation, process) } }
    : process;
}
