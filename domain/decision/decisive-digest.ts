import { digestJson } from '../digest.js';
import type {
  ClusterObservation,
  ManagerProcess,
  ManagerSlot,
} from '../observation/observation.js';
import { memoizeByIdentity } from '../memoize.js';
import type { StepEffect } from './step.js';

/**
 * Digest of the state that rules and people decide on: manifests, what processes run, control-plane nodes, etcd, access,
 * workload. Waivers are bound to it, and the same step in the same state counts as no progress. Times, Leases, holders and
 * process ids change every two seconds; workers, Services and their counts belong to others. They are left out, or a single
 * worker becoming Ready would void a waiver and hide that a step changes nothing. In-tree volumes stay, because a rule
 * refuses because of them. Memoised: several rules use it in one pass, and hashing dominates the time of a pass.
 */
export const decisiveDigest = memoizeByIdentity((observation: ClusterObservation): string => {
  const { observedAtMs: _at, leases: _leases, inventory, ...lasting } = observation;
  const nodes = observation.nodes.map((node) => ({
    ...node,
    kcm: lastingSlot(node.kcm),
    ccm: lastingSlot(node.ccm),
  }));
  return digestJson({ ...lasting, nodes, persistentVolumes: inventory.persistentVolumes });
});

/**
 * Identifies one attempt: a step in the state it was decided in. Two equal ones mean that the first changed nothing. Worker
 * kubelets are not part of that state, so the step that switches them adds its own progress.
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
