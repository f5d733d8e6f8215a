import type { EtcdMemberView } from './machine.js';

/**
 * Why the etcd member of a node must not be removed now (`EtcdUnsafe` of docs/contracts/machines-api.md). Undefined
 * when the others keep a quorum without a learner among them, and for a node without a member.
 */
export function whyKeepMember(
  members: readonly EtcdMemberView[],
  node: string,
): string | undefined {
  if (!members.some((member) => member.node === node)) return undefined;
  const others = members.filter((member) => member.node !== node);
  const learner = others.find((member) => !member.voter);
  if (learner !== undefined) return `etcd member ${learner.name} is still a learner`;
  const healthy = others.filter((member) => member.healthy).length;
  const quorum = Math.floor(others.length / 2) + 1;
  if (healthy >= quorum) return undefined;
  return `without ${node} only ${String(healthy)} of ${String(others.length)} etcd members are healthy`;
}
