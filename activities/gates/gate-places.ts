import type { Serving } from '../../domain/gates/catalogue/gate-catalogue.js';
import type { ClusterObservation, ManagerProcess } from '../../domain/observation/observation.js';
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

/** What runs and who owns, as a short text: it changes at each step of ours that could do harm. */
export function setupOf(observation: ClusterObservation, { controllers }: OwnershipTrace): string {
  const processes = managerProcesses(observation).map(processKey);
  const owners = controllers.map((each) => (each.owners ?? ['?']).join('+'));
  return `${processes.join()} owned by ${[...new Set(owners)].join()}`;
}
