import { digestJson } from '../digest.js';
import type { ClusterObservation, ManagerProcess, ManagerSlot } from '../observation.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * What of a cluster a plan rests on: manifests, what runs by other settings, versions, access, etcd, machines.
 * Leases, holders, process ids and times move every two seconds and workers come and go by themselves, so they
 * are left out, or every plan would be stale before it is read.
 */
export function steadyObservation(observation: ClusterObservation): Json {
  const { cluster, apiServers, nodes, machinesOrdered, etcd, access } = observation;
  const { ccmWorkload, baseline, kubeadm, inventory } = observation;
  return {
    cluster: { uid: cluster.uid },
    apiServers,
    nodes: nodes.map(({ kcm, ccm, ...node }) => ({
      ...node,
      // A node that restarts is not another plan: whether it may be touched is judged before each step.
      ready: undefined,
      kcm: steadySlot(kcm),
      ccm: steadySlot(ccm),
    })),
    machinesOrdered,
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
 * A process that runs what its manifest says adds nothing, and may be in the middle of a restart: it is left out. One
 * that runs anything else stays, since a plan must end that.
 */
function steadySlot({ manifest, processes }: ManagerSlot): Json {
  const written = manifest.state === 'present' ? digestJson(manifest.config) : null;
  const otherwise = processes.filter(
    ({ config }: ManagerProcess) => digestJson(config) !== written,
  );
  return { manifest, processes: otherwise.map(({ config }: ManagerProcess) => ({ config })) };
}
