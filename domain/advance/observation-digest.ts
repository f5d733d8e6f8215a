import { digestJson } from '../digest.js';
import type { ClusterObservation, ManagerProcess, ManagerSlot } from '../observation.js';

/**
 * Digest of what a person judged when waiving a finding: manifests, processes by what they run, nodes, etcd,
 * access, workload and counts. Times, Leases, holders and process ids move every two seconds and are left out,
 * or no waiver and no comparison would outlive its own typing.
 */
export function decisionDigest(observation: ClusterObservation): string {
  const { observedAtMs, leases, nodes, ...lasting } = observation;
  void [observedAtMs, leases];
  return digestJson({
    ...lasting,
    nodes: nodes.map((node) => ({
      ...node,
      kcm: lastingSlot(node.kcm),
      ccm: lastingSlot(node.ccm),
    })),
  });
}

function lastingSlot({ manifest, processes }: ManagerSlot): unknown {
  return { manifest, processes: processes.map(lastingProcess) };
}

function lastingProcess({ config, liveness }: ManagerProcess): unknown {
  return { config, liveness };
}
