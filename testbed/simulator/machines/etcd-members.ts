import { whyKeepMember } from '../../base/machines/etcd-safety.js';
import type { EtcdMemberView } from '../model.js';

interface Member {
  voter: boolean;
}

/** The members of a stacked etcd: health follows the machines, and leadership moves away from one that stops. */
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

  /** Why a member must not be removed now. */
  whyKeep(node: string): string | undefined {
    return whyKeepMember(this.list(), node);
  }

  /** A healthy voter leads; the current leader stays while it can. */
  private elect(): string {
    const canLead = (node: string): boolean =>
      this.members.get(node)?.voter === true && this.isHealthy(node);
    if (!canLead(this.leader)) this.leader = [...this.members.keys()].find(canLead) ?? '';
    return this.leader;
  }
}
