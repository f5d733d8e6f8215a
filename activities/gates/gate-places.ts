import type { Serving } from '../../domain/gates/catalogue/gate-catalogue.js';
import type { UnseenNode } from '../../domain/gates/watch/gate-round.js';
import type {
  ClusterObservation,
  ManagerProcess,
  OrderedMachine,
} from '../../domain/observation/observation.js';
import type { OwnershipTrace } from '../../domain/ownership/ownership-trace.js';
import { managerProcesses, processKey } from '../../domain/ownership/owners.js';

/** A manager on a node whose page is read. */
export interface PagePlace {
  readonly node: string;
  readonly place: string;
  readonly serving: Serving;
  readonly owns: boolean;
}

/**
 * The running managers, one place for each node and manager: only one of them listens. A process that is stopped or keeps
 * crashing has a hard gate of its own, and its page would only hang.
 */
export function placesIn(
  observation: ClusterObservation,
  { controllers }: OwnershipTrace,
): readonly PagePlace[] {
  const owners = controllers.flatMap((each) => each.owners ?? []);
  const places = new Map<string, PagePlace>();
  for (const placed of managerProcesses(observation)) {
    const { node, manager, process } = placed;
    if (process.liveness !== 'running' || !node.reachable) continue;
    const place = `${manager} on ${node.name}`;
    const owns = owners.includes(processKey(placed)) || places.get(place)?.owns === true;
    places.set(place, { node: node.name, place, serving: servingOf(manager, process), owns });
  }
  return [...places.values()];
}

function servingOf(
  manager: Serving['manager'],
  { config: { version, cloudProvider } }: ManagerProcess,
): Serving {
  const provider = cloudProvider === '' || cloudProvider === 'external' ? null : cloudProvider;
  return { manager, minor: Number(version.split('.')[1]), provider };
}

/** Machines that the provider adds; what it takes away is not waited for. */
const BEING_ADDED: readonly OrderedMachine['state'][] = ['ordered', 'booting'];

/** Nodes of which nothing could be read, so that no process on them is in the observation. */
export function unseenNodes({ nodes, machinesOrdered }: ClusterObservation): readonly UnseenNode[] {
  return nodes.flatMap(({ name, reachable }) => {
    const state = machinesOrdered.find((machine) => machine.name === name)?.state;
    if (reachable || state === 'deleting') return [];
    return [{ node: name, isNew: state !== undefined && BEING_ADDED.includes(state) }];
  });
}

/**
 * What runs and who owns, as a short text: it changes at each step of ours that could do harm. Null while a node cannot be
 * seen.
 */
export function setupOf(
  observation: ClusterObservation,
  { controllers }: OwnershipTrace,
): string | null {
  if (unseenNodes(observation).length > 0) return null;
  const processes = managerProcesses(observation).map(processKey);
  const owners = controllers.map((each) => (each.owners ?? ['?']).join('+'));
  return `${processes.join()} owned by ${[...new Set(owners)].join()}`;
}
