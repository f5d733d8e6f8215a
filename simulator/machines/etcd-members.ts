import type { EtcdMemberView } from '../model.js';

interface Member {
  voter: boolean;
}

/** The members of a stacked etcd: health follows the machines, leadership moves off one that goes. */
export class EtcdMembers {
  private readonly members = new Map<string, Member>();
  private readonly isHealthy: (node: string) => boolean;
  private leader = '';

  constructor(isHealthy: (node: string) => boolean) {
    this.isHealthy = isHealthy;
  }

  add(node: string, voter: boolean): void {
    this.members.set(node, { voter });
  }

  promote(node: string): void {
    const member = this.members.get(node);
    if (member !== undefined) member.voter = true;
  }

  remove(node: string): void {
    this.members.delete(node);
  }

  list(): readonly EtcdMemberView[] {
    const leader = this.elect();
    return [...this.members]
      .map(([node, { voter }]) => ({
        name: node,
        node,
        voter,
        healthy: this.isHealthy(node),
        leader: node === leader,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Why a member must not go now; undefined when the others keep a quorum and none is still learning. */
  whyKeep(node: string): string | undefined {
    if (!this.members.has(node)) return undefined;
    const others = this.list().filter((member) => member.node !== node);
    const learner = others.find((member) => !member.voter);
    if (learner !== undefined) return `etcd member ${learner.name} is still a learner`;
    const healthy = others.filter((member) => member.healthy).length;
    const quorum = Math.floor(others.length / 2) + 1;
    if (healthy >= quorum) return undefined;
    return `without ${node} only ${String(healthy)} of ${String(others.length)} etcd members are healthy`;
  }

  /** A healthy voter leads; the old one goes on while it can. */
  private elect(): string {
    const canLead = (node: string): boolean =>
      this.members.get(node)?.voter === true && this.isHealthy(node);
    if (!canLead(this.leader)) this.leader = [...this.members.keys()].find(canLead) ?? '';
    return this.leader;
  }
}
