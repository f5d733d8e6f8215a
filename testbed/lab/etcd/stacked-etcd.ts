import type { CertificateAuthority } from '../../base/auth/certificates.js';
import { ETCD_MANIFEST } from '../../base/kubeadm-defaults.js';
import type { EtcdMemberView } from '../../base/machines/machine.js';
import type { EtcdConnection } from '../cluster/api-server.js';
import { awaited } from '../host/awaited.js';
import { EtcdClient, type ListedMember } from './etcd-client.js';
import { clientUrl, etcdCertificates, etcdManifest, type EtcdPlace } from './etcd-files.js';
import { EtcdNames } from './etcd-names.js';

export interface StackedEtcdOptions {
  readonly cluster: string;
  readonly authority: CertificateAuthority;
  /** Reference of etcd's image. */
  readonly image: string;
  /** Members at one time. */
  readonly most: number;
  /** The API server's hosts file. */
  readonly hostsFile: string;
}

interface Membership {
  readonly all: readonly ListedMember[];
  /** The member at the requested address. */
  readonly own: ListedMember | undefined;
  readonly others: readonly ListedMember[];
  readonly leader: ListedMember;
}

const STARTS = { withinMs: 120_000, everyMs: 250 } as const;
const LEADS = { withinMs: 30_000, everyMs: 250 } as const;
const ASKED_BY = { user: 'kube-apiserver-etcd-client', groups: [] } as const;

/** Etcd on the control-plane nodes of a cluster, in kubeadm's stacked topology: one member per node. */
export class StackedEtcd {
  /** For the API server: reaches all current members. */
  readonly connection: EtcdConnection;
  private readonly options: StackedEtcdOptions;
  private readonly client: EtcdClient;
  private readonly called: EtcdNames;
  /** Machines whose member was started. */
  private readonly places = new Map<string, EtcdPlace>();
  private founder: EtcdPlace | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: StackedEtcdOptions) {
    const { cluster, authority, most: count, hostsFile } = options;
    const identity = authority.issueClient(ASKED_BY.user, ASKED_BY.groups, cluster);
    this.options = options;
    this.client = new EtcdClient(authority.certificatePem, identity);
    this.called = new EtcdNames({ cluster, count, hostsFile });
    this.connection = {
      servers: this.called.all.map(clientUrl),
      authorityPem: authority.certificatePem,
      identity,
      hostsFile,
    };
  }

  /** Names by which the API server reaches members. */
  get names(): readonly string[] {
    return this.called.all;
  }

  /**
   * The files on a machine before it boots. The first machine's kubelet finds a manifest there, which bootstraps the
   * cluster.
   */
  filesFor(place: EtcdPlace): Readonly<Record<string, string>> {
    const { authority, image } = this.options;
    const certificates = etcdCertificates(authority, place, this.called.all);
    if (this.founder !== null) return certificates;
    this.founder = place;
    return { ...certificates, [ETCD_MANIFEST]: etcdManifest({ ...place, image, others: [] }) };
  }

  /** Waits until the first member leads: no API server can start before. */
  async untilFounded(): Promise<void> {
    const { founder } = this;
    if (founder === null) throw new Error('no machine was ordered that could bootstrap etcd');
    this.called.write();
    const leads = async (): Promise<string | null> =>
      (await this.client.status(founder.address)).leader;
    await awaited(`etcd on ${founder.name} leads`, leads, STARTS);
    this.started(founder);
  }

  /**
   * As `kubeadm join` since 1.29 (EtcdLearnerMode, on by default): the member is added as a learner, its pod starts,
   * and it is promoted once it has caught up. A voter that has yet to start would count for the quorum at once, and
   * none of the old members could fail. `putManifest` writes to the machine's disk.
   */
  async join(place: EtcdPlace, putManifest: (text: string) => void): Promise<void> {
    if (this.places.has(place.address)) return;
    await this.inTurn(async () => {
      const id = await this.announce(place.address);
      const { others } = await this.snapshot(place.address);
      putManifest(etcdManifest({ ...place, image: this.options.image, others }));
      const votes = async (): Promise<true | null> => {
        const { id: own, voter, leader: follows } = await this.client.status(place.address);
        if (own === id && voter && follows !== null) return true;
        const { leader } = await this.snapshot(place.address);
        await this.client.promote(leader.address, id);
        return null;
      };
      await awaited(`etcd member ${place.name} is a voter`, votes, STARTS);
      this.started(place);
    });
  }

  /**
   * Removes a machine's member before the machine stops, or after it died. Moves the leadership first, so that there
   * is no election to wait for. @throws Error when no other member can lead.
   */
  async leave(address: string): Promise<void> {
    await this.inTurn(async () => {
      const { own, others } = await this.snapshot(address);
      if (own !== undefined) {
        await this.otherLeader(own, others);
        await this.untilRemoved(own);
      }
      this.places.delete(address);
      this.called.take(address);
      this.client.forget(address);
    });
  }

  /** Members with their own health reports, sorted by name. @throws Error when no member responds. */
  async list(): Promise<readonly EtcdMemberView[]> {
    const { all, leader } = await this.snapshot('');
    const views = all.map(async ({ id, name, address, voter }) => ({
      name: name === '' ? address : name,
      node: name,
      voter,
      healthy: await this.client.isHealthy(address),
      leader: id === leader.id,
    }));
    return (await Promise.all(views)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  close(): void {
    this.client.close();
  }

  /**
   * Adds a learner. Etcd accepts one only after all voters have been connected for five seconds. Returns the
   * learner's id.
   */
  private async announce(address: string): Promise<string> {
    const learner = async (): Promise<string> => {
      const { own, leader } = await this.snapshot(address);
      return own?.id ?? (await this.client.addLearner(leader.address, address));
    };
    return awaited(`etcd accepts a learner at ${address}`, learner, STARTS);
  }

  /** Etcd removes a member only after a quorum of the others, including new ones, has been connected for five seconds. */
  private async untilRemoved({ name, address }: ListedMember): Promise<void> {
    const gone = async (): Promise<true> => {
      const { own, others } = await this.snapshot(address);
      if (own === undefined) return true;
      const leader = await this.otherLeader(own, others);
      await this.client.remove(leader.address, own.id);
      return true;
    };
    await awaited(`etcd removes ${name}`, gone, STARTS);
  }

  private started(place: EtcdPlace): void {
    this.called.give(place);
    this.places.set(place.address, place);
  }

  /** The member list, read from members other than the one at `address`; waits for an election to end. */
  private async snapshot(address: string): Promise<Membership> {
    return awaited('etcd has a leader', () => this.readOnce(address), LEADS);
  }

  private async readOnce(address: string): Promise<Membership | null> {
    // The leader's list is the newest: a member that was just removed has a stale one.
    for (const place of this.places.values()) {
      if (place.address === address) continue;
      const status = await this.client.status(place.address).catch(() => null);
      const known = await this.client.members(place.address).catch(() => []);
      const leader = known.find(({ id }) => id === status?.leader);
      if (leader === undefined) continue;
      const all = await this.client.members(leader.address).catch(() => []);
      const own = all.find((member) => member.address === address);
      const others = all.filter((member) => member.address !== address);
      if (all.some(({ id }) => id === leader.id)) return { all, own, others, leader };
    }
    return null;
  }

  /** Moves the leadership away from `own`; returns the member that leads. */
  private async otherLeader(
    own: ListedMember,
    others: readonly ListedMember[],
  ): Promise<ListedMember> {
    const heirs = others.filter(({ voter }) => voter);
    if (heirs.length === 0)
      throw new Error(`${own.name} is the only voter of etcd and cannot be removed`);
    const what = `a member other than ${own.name} leads etcd`;
    const heirLeads = async (): Promise<ListedMember | null> => {
      for (const { address, id: candidate } of heirs) {
        const status = await this.client.status(address).catch(() => null);
        const heir = heirs.find(({ id }) => id === status?.leader);
        if (heir !== undefined) return heir;
        // This fails when the leader is dead; the others then elect a new one.
        if (status?.leader === own.id) await this.client.moveLeader(own.address, candidate);
      }
      return null;
    };
    return awaited(what, heirLeads, LEADS);
  }

  /** One membership change at a time: etcd allows one learner, and each change needs healthy members. */
  private async inTurn(change: () => Promise<void>): Promise<void> {
    const mine = this.last.then(change);
    this.last = mine.catch(() => undefined);
    await mine;
  }
}
