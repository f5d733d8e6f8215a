import type { ClusterObservation, EtcdMember } from './observation.js';

/**
 * The members that count for etcd's quorum. Where it is stacked, a control-plane node without a pod of it still has its member:
 * a kubelet takes the mirror pod away with the manifest, and the Node stays Ready. Such a member is one of unknown health. A
 * machine on its way has not joined yet, or its member was removed first (docs/contracts/machines-api.md).
 * Source: kubeadm v1.30 cmd/phases/join/controlplanejoin.go and etcd/local.go, a member on each node of a stacked control plane.
 */
export function countedMembers({
  etcd: { topology, members },
  nodes,
  machinesOrdered,
}: Pick<ClusterObservation, 'etcd' | 'nodes' | 'machinesOrdered'>): readonly EtcdMember[] {
  if (topology !== 'stacked') return members;
  const answered = new Set([
    ...members.map(({ node }) => node),
    ...machinesOrdered.filter(({ state }) => state !== 'failed').map(({ name }) => name),
  ]);
  const unseen = nodes.filter(({ name }) => !answered.has(name));
  return [...members, ...unseen.map(({ name }) => unseenMember(name))];
}

function unseenMember(node: string): EtcdMember {
  return { node, name: node, voter: 'unknown', healthy: 'unknown', leader: false };
}
