import { endProcesses, startedProcess, withSlot } from '../../domain/model/processes.js';
import type { ClusterObservation, ManagerSlot } from '../../domain/observation/observation.js';
import { MANAGERS } from '../../domain/vocabulary.js';

/** What one kubelet does by itself, as text, and the resulting state. */
export interface KubeletMove {
  readonly label: string;
  readonly observation: ClusterObservation;
}

/** Each kubelet starts what is in its manifests folder and ends what is no longer there. */
export function kubeletMoves(observation: ClusterObservation): readonly KubeletMove[] {
  return observation.nodes.flatMap(({ name, ...slots }) =>
    MANAGERS.flatMap((manager): readonly KubeletMove[] => {
      const slot = slots[manager];
      if (isToStart(slot)) {
        return [
          {
            label: `kubelet of ${name} starts its ${manager}`,
            observation: withSlot(observation, name, manager, started(observation)),
          },
        ];
      }
      if (!isToEnd(slot)) return [];
      return [
        {
          label: `kubelet of ${name} ends its ${manager}`,
          observation: endProcesses(observation, name, manager),
        },
      ];
    }),
  );
}

function started(observation: ClusterObservation): (slot: ManagerSlot) => ManagerSlot {
  return (slot) =>
    slot.manifest.state === 'present'
      ? { ...slot, processes: [startedProcess(observation, slot.manifest.config)] }
      : slot;
}

function isToStart({ manifest, processes }: ManagerSlot): boolean {
  return manifest.state === 'present' && processes.length === 0;
}

function isToEnd({ manifest, processes }: ManagerSlot): boolean {
  const away = manifest.state === 'interrupted' || manifest.state === 'parked';
  return away && processes.length > 0;
}
