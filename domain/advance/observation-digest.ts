import { digestJson } from '../digest.js';
import { onceEach } from '../once-each.js';
import type { ClusterObservation, ManagerProcess, ManagerSlot } from '../observation.js';

/**
 * Digest of what a person judged when waiving a finding: manifests, processes by what they run, nodes, etcd,
 * access, workload and counts. Times, Leases, holders and process ids move every two seconds and are left out,
 * or no waiver and no comparison would outlive its own typing.
 * Several rules ask in one pass, and hashing is what a pass takes longest for.
 */
export const decisionDigest = onceEach((observation: ClusterObservation): string => {
  const nodes = observation.nodes.map((node) => ({
    ...node,
    kcm: lastingSlot(node.kcm),
    ccm: lastingSlot(node.ccm),
  }));
  const lasting = Object.entries(observation).filter(([part]) => !MOVING.includes(part));
  return digestJson({ ...Object.fromEntries(lasting), nodes });
});

const MOVING: readonly string[] = ['observedAtMs', 'leases'] satisfies (keyof ClusterObservation)[];

function lastingSlot({ manifest, processes }: ManagerSlot): unknown {
  return { manifest, processes: processes.map(lastingProcess) };
}

function lastingProcess({ config, liveness }: ManagerProcess): unknown {
  return { config, liveness };
}
