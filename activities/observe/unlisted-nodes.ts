import type { NodeObject, PodObject } from './objects.js';
import { nameOf } from './objects.js';
import type { LiveReads, MachineReading } from './readings.js';

type Reads = Pick<LiveReads, 'nodeObjects' | 'controlPlanePods' | 'machines'>;

/**
 * Hosts of the control plane that are not among its Nodes: their Node object was deleted, or has lost its label, and their managers
 * run on. A Node that is missing proves nothing (kubernetes/kubernetes#70897: a kubelet registers again only when it restarts), and
 * what is not listed is read by no one. Such a host shows by its static pods until those are collected, minutes later, and by its
 * machine as long as the provider lists that.
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
  const running = named.filter(
    (name) => !listed.has(name) && !isAnsweredFor(name, listed, machines ?? []),
  );
  return [...new Set([...running, ...hostsOf(machines ?? [], listed)])]
    .sort()
    .map((name) => ({ metadata: { name } }));
}

/** A mirror pod belongs to the Node of its kubelet; all others are placed by the API and are of workloads. */
function isStatic({ metadata }: PodObject): boolean {
  return (metadata?.ownerReferences ?? []).some(({ kind }) => kind === 'Node');
}

/**
 * Whether the provider answers for it: one that knows machines of the listed Nodes, and has none of this one (deleted), or still
 * boots it, when its Node may not have its label yet.
 */
function isAnsweredFor(
  name: string,
  listed: ReadonlySet<string>,
  machines: readonly MachineReading[],
): boolean {
  const known = machines.some(({ node }) => node !== null && listed.has(node));
  return known && machines.filter((each) => each.node === name || each.name === name).every(boots);
}

function boots({ state }: MachineReading): boolean {
  return state === 'ordered' || state === 'booting';
}

/**
 * Hosts of machines that have booted. `node` is null until a machine is registered (docs/contracts/machines-api.md), so that a ready
 * one without it was once; it may be that of a listed Node of which no other is.
 */
function hostsOf(
  machines: readonly MachineReading[],
  listed: ReadonlySet<string>,
): readonly string[] {
  const booted = machines.filter((each) => !boots(each));
  const registered = booted.flatMap(({ node }) => node ?? []).filter((node) => !listed.has(node));
  const nameless = booted.filter(
    ({ name, node, state }) => node === null && state === 'ready' && !listed.has(name),
  );
  const open = [...listed].filter((node) =>
    machines.every((each) => (each.node ?? each.name) !== node),
  );
  return [
    ...registered,
    ...(nameless.length > open.length ? nameless : []).map(({ name }) => name),
  ];
}
