import type { NodeObject, PodObject } from './objects.js';
import { nameOf } from './objects.js';
import type { LiveReads, MachineReading } from './readings.js';

type Reads = Pick<LiveReads, 'nodeObjects' | 'controlPlanePods' | 'machines'>;

/**
 * Nodes that run static pods of the control plane and are not among the control-plane Nodes: their Node object was deleted, or
 * has lost its label, and their managers run on. A Node that is missing proves nothing (kubernetes/kubernetes#70897: a kubelet
 * registers again only when it restarts), and what is not listed is read by no one.
 */
export function unlistedNodes({
  nodeObjects,
  controlPlanePods,
  machines,
}: Reads): readonly NodeObject[] {
  const listed = new Set(nodeObjects.map(nameOf));
  // A cluster without any is a hosted control plane, which is told as such.
  if (listed.size === 0) return [];
  const named = controlPlanePods.filter(isStatic).flatMap(({ spec }) => spec?.nodeName ?? []);
  const missing = [...new Set(named)].filter((name) => !listed.has(name));
  return missing
    .filter((name) => !isAnsweredFor(name, listed, machines))
    .sort()
    .map((name) => ({ metadata: { name } }));
}

/** A mirror pod belongs to the Node of its kubelet; all others are placed by the API and are of workloads. */
function isStatic({ metadata }: PodObject): boolean {
  return (metadata?.ownerReferences ?? []).some(({ kind }) => kind === 'Node');
}

/**
 * Whether the provider answers for it: one that knows machines of the listed Nodes, and has none of this one (deleted), deletes it,
 * or still boots it, when its Node may not have its label yet.
 */
function isAnsweredFor(
  name: string,
  listed: ReadonlySet<string>,
  machines: readonly MachineReading[] | null,
): boolean {
  const known = (machines ?? []).some(({ node }) => node !== null && listed.has(node));
  const own = (machines ?? []).filter((each) => each.node === name || each.name === name);
  return known && own.every(({ state }) => state !== 'ready' && state !== 'failed');
}
