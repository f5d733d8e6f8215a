import type { ClusterObservation, ManagerProcess, ManagerSlot } from '../observation.js';
import { startsTrying } from './elections.js';
import { endProcesses, startedProcess, withSlot } from './processes.js';
import { MANAGERS, type Manager } from '../vocabulary.js';

/**
 * What happens without any action: each kubelet starts what its manifest folder holds and stops what was removed from it, and
 * the leader of each main lock starts to try the migration lock.
 */
export function afterAWhile(observation: ClusterObservation): ClusterObservation {
  const places = observation.nodes.flatMap(({ name }) =>
    MANAGERS.map((manager) => ({ name, manager })),
  );
  return places.reduce(
    (current, { name, manager }) =>
      withSlot(withoutTakenAway(current, name, manager), name, manager, (slot) =>
        slotAfterAWhile(current, slot),
      ),
    observation,
  );
}

function withoutTakenAway(
  observation: ClusterObservation,
  name: string,
  manager: Manager,
): ClusterObservation {
  const taken = observation.nodes.some((node) => {
    const { state } = node[manager].manifest;
    return node.name === name && (state === 'parked' || state === 'interrupted');
  });
  return taken ? endProcesses(observation, name, manager) : observation;
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
