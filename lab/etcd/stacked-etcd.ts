import type { CertificateAuthority } from '../../simulator/auth/certificates.js';
import type { EtcdMemberView } from '../../simulator/model.js';
import type { EtcdConnection } from '../cluster/api-server.js';
import { awaited } from '../host/awaited.js';
import { EtcdClient, type EtcdMember } from './etcd-client.js';
import {
  clientUrl,
  ETCD_MANIFEST,
  etcdCertificates,
  etcdManifest,
  type EtcdPlace,
} from './etcd-files.js';
import { EtcdNames } from './etcd-names.js';

export interface StackedEtcdOptions {
  readonly cluster: string;
  readonly authority: CertificateAuthority;
  /** Reference of etcd's image. */
  readonly image: string;
  /** Members at one time. */
  readonly most: number;
  /** The API server's own. */
  readonly hostsFile: string;
}

interface Membership {
  readonly all: readonly EtcdMember[];
  /** The one at the address that was asked about. */
  readonly own: EtcdMember | undefined;
  readonly others: readonly EtcdMember[];
  readonly leader: EtcdMember;
}

const STARTS = { withinMs: 120_000, everyMs: 250 } as const;
const LEADS = { withinMs: 30_000, everyMs: 250 } as const;
const ASKED_BY = { user: 'kube-apiserver-etcd-client', groups: [] } as const;

/** Etcd on the control-plane nodes of a cluster, as kubeadm's stacked topology has it: one member a node. */
export class StackedEtcd {
  /** For the API server: it calls all members, whoever they are. */
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

  /** Names by which the API server calls members. */
  get names(): readonly string[] {
    return this.called.all;
  }

  /** What a machine has on its disk before it boots. The first one's kubelet finds a manifest there, which founds the cluster. */
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
    if (founder === null) throw new Error('no machine was ordered that could found etcd');
    this.called.write();
    const leads = async (): Promise<string | null> =>
      (await this.client.status(founder.address)).leader;
    await awaited(`etcd on ${founder.name} leads`, leads, STARTS);
    this.started(founder);
  }

  /**
   * As `kubeadm join` since 1.29 (EtcdLearnerMode, on by default): a learner is announced, its pod starts, and it becomes a voter
   * once it has caught up. A voter that has yet to start would count for the quorum at once, and of three then none of the old
   * ones could be missed. `putManifest` writes the machine's disk.
   */
  async join(place: EtcdPlace, putManifest: (text: string) => void): Promise<void> {
    if (this.places.has(place.address)) return;
    await this.inTurn(async () => {
      const id = await this.announce(place.address);
      const { others } = await this.look(place.address);
      putManifest(etcdManifest({ ...place, image: this.options.image, others }));
      const votes = async (): Promise<true | null> => {
        const { id: own, voter, leader: follows } = await this.client.status(place.address);
        if (own === id && voter && follows !== null) return true;
        const { leader } = await this.look(place.address);
        await this.client.promote(leader.address, id);
        return null;
      };
      await awaited(`etcd member ${place.name} is a voter`, votes, STARTS);
      this.started(place);
    });
  }

  /**
   * Takes a machine's member out before the machine stops, or after it died: leadership first, so that nobody waits for an
   * election. @throws Error when another one cannot lead.
   */
  async leave(address: string): Promise<void> {
    await this.inTurn(async () => {
      const { own, others } = await this.look(address);
      if (own !== undefined) {
        await this.otherLeader(own, others);
        await this.untilRemoved(own);
      }
      this.places.delete(address);
      this.called.take(address);
      this.client.forget(address);
    });
  }

  /** Members by their own words, sorted by name. @throws Error when no member answers. */
  async list(): Promise<readonly EtcdMemberView[]> {
    const { all, leader } = await this.look('');
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

  /** Etcd takes nobody in before all voters have been connected for five seconds. Answers the learner's number. */
  private async announce(address: string): Promise<string> {
    const learner = async (): Promise<string> => {
      const { own, leader } = await this.look(address);
      return own?.id ?? (await this.client.addLearner(leader.address, address));
    };
    return awaited(`etcd takes in a learner at ${address}`, learner, STARTS);
  }

  /** Etcd lets nobody go before a quorum of the others has been connected for five seconds, one that just joined among them. */
  private async untilRemoved({ name, address }: EtcdMember): Promise<void> {
    const gone = async (): Promise<true> => {
      const { own, others } = await this.look(address);
      if (own === undefined) return true;
      const leader = await this.otherLeader(own, others);
      await this.client.remove(leader.address, own.id);
      return true;
    };
    await awaited(`etcd lets ${name} go`, gone, STARTS);
  }

  private started(place: EtcdPlace): void {
    this.called.give(place);
    this.places.set(place.address, place);
  }

  /** What the members say, asked of one that is not at `address`; waits for an election to end. */
  private async look(address: string): Promise<Membership> {
    return awaited('etcd has a leader', () => this.lookOnce(address), LEADS);
  }

  private async lookOnce(address: string): Promise<Membership | null> {
    // The leader's list is the newest: a member that was just removed has an old one.
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

  /** The member that leads when `own` does not any more. */
  private async otherLeader(own: EtcdMember, others: readonly EtcdMember[]): Promise<EtcdMember> {
    const heirs = others.filter(({ voter }) => voter);
    if (heirs.length === 0) throw new Error(`${own.name} is the only voter of etcd; it cannot go`);
    const what = `another member than ${own.name} leads etcd`;
    const heirLeads = async (): Promise<EtcdMember | null> => {
      for (const { address, id: candidate } of heirs) {
        const status = await this.client.status(address).catch(() => null);
        const heir = heirs.find(({ id }) => id === status?.leader);
        if (heir !== undefined) return heir;
        // Where it is dead this fails, and the others elect one by themselves.
        if (status?.leader === own.id) await this.client.moveLeader(own.address, candidate);
      }
      return null;
    };
    return awaited(what, heirLeads, LEADS);
  }

  /** One change of members at a time: etcd has one learner at most, and each change needs the others well. */
  private async inTurn(change: () => Promise<void>): Promise<void> {
    const mine = this.last.then(change);
    this.last = mine.catch(() => undefined);
    await mine;
  }
}
