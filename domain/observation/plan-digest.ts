import { digestJson } from '../digest.js';
import type { Target } from '../vocabulary.js';
import type { ClusterObservation, ManagerProcess, ManagerSlot } from './observation.js';

/** What decides a run, as recorded in a plan. */
export interface Decisive {
  readonly cluster: { readonly uid: string };
  readonly target: Target;
  readonly policy: object;
  readonly timings: object;
  readonly materials: object;
  readonly observation: object;
}

/**
 * Covers everything that decides what a run does, but not the steps, which follow from it and from the current leaders.
 */
export function planDigest(content: Decisive): string {
  const { cluster, target, policy, timings, materials, observation } = content;
  return digestJson({ uid: cluster.uid, target, policy, timings, materials, observation });
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The state of a cluster that a plan is based on: manifests, processes that run with other settings, versions, access, etcd,
 * machines. Leases, holders, process ids and times change every two seconds and workers come and go, so they are left out, or
 * every plan would be stale before it is read.
 */
export function steadyObservation(observation: ClusterObservation): Json {
  const { cluster, apiServers, nodes, machinesOrdered, takenNames, etcd, access } = observation;
  const { ccmWorkload, baseline, kubeadm, inventory } = observation;
  return {
    cluster: { uid: cluster.uid },
    apiServers,
    nodes: nodes.map(({ kcm, ccm, ...node }) => ({
      ...node,
      // A restarting node does not invalidate a plan: whether it may be changed is judged before each step.
      ready: undefined,
      kcm: steadySlot(kcm),
      ccm: steadySlot(ccm),
    })),
    machinesOrdered,
    takenNames,
    etcd: {
      topology: etcd.topology,
      members: etcd.members.map(({ node, name, voter }) => ({ node, name, voter })),
    },
    access,
    ccmWorkload,
    baseline,
    kubeadm,
    persistentVolumes: inventory.persistentVolumes,
  };
}

/**
 * A process that matches its manifest adds nothing and may be in the middle of a restart: it is left out. One that runs
 * anything else stays, because a plan must end it.
 */
function steadySlot({ manifest, processes }: ManagerSlot): Json {
  const written = manifest.state === 'present' ? digestJson(manifest.config) : null;
  const otherwise = processes.filter(
    ({ config }: ManagerProcess) => digestJson(config) !== written,
  );
  return { manifest, processes: otherwise.map(({ config }: ManagerProcess) => ({ config })) };
}
