import { digestJson } from '../digest.js';
import type { ClusterObservation, ManagerProcess, ManagerSlot } from '../observation.js';
import { onceEach } from '../once-each.js';
import type { StepEffect } from '../step.js';

/**
 * Digest of what rules and people decide by: manifests, processes by what they run, control-plane nodes, etcd, access,
 * workload. It is the one projection of an observation: waivers are bound to it, and the same step in the same state
 * again is no progress. Times, Leases, holders and process ids move every two seconds; workers, Services and their
 * counts belong to other people. They are left out, or a single worker that becomes Ready would void a waiver and
 * hide that a step changes nothing. In-tree volumes stay: a rule refuses by them.
 * Several rules ask in one pass, and hashing is what a pass takes longest for.
 */
export const decisiveDigest = onceEach((observation: ClusterObservation): string => {
  const { observedAtMs: _at, leases: _leases, inventory, ...lasting } = observation;
  const nodes = observation.nodes.map((node) => ({
    ...node,
    kcm: lastingSlot(node.kcm),
    ccm: lastingSlot(node.ccm),
  }));
  return digestJson({ ...lasting, nodes, persistentVolumes: inventory.persistentVolumes });
});

/**
 * Names one attempt: a step in the state it was decided in. Two equal ones mean that the first changed nothing. The
 * kubelets of workers are no part of that state, so for the step that switches them its own progress is added.
 */
export function attemptDigest(
  key: string,
  effect: StepEffect,
  observation: ClusterObservation,
): string {
  const { kubeletInTree, kubeletExternal } = observation.inventory.workers;
  const switched =
    effect.kind === 'switchKubelets' ? { inTree: kubeletInTree, external: kubeletExternal } : null;
  return digestJson([key, decisiveDigest(observation), switched]);
}

function lastingSlot({ manifest, processes }: ManagerSlot): unknown {
  return { manifest, processes: processes.map(lastingProcess) };
}

function lastingProcess({ config, liveness }: ManagerProcess): unknown {
  return { config, liveness };
}
