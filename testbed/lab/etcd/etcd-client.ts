import type { Identity } from '../../base/auth/certificates.js';
import { ApiClient } from '../cluster/api-client.js';
import { listAt, textAt, valueAt } from '../../base/json.js';
import { clientUrl, peerUrl, type EtcdPlace } from './etcd-files.js';

/** A member as in etcd's own list. Member ids are strings because they exceed JavaScript's safe integers. */
export interface ListedMember extends EtcdPlace {
  readonly id: string;
  /** False for a learner. */
  readonly voter: boolean;
}

/** What a member reports about itself. */
export interface EtcdStatus {
  readonly id: string;
  /** Id of the leading member; null while this one knows of none. */
  readonly leader: string | null;
  readonly voter: boolean;
}

/** A member responds in milliseconds; on a busy machine in a second or two. */
const DEADLINE_MS = 5000;

/** Etcd's JSON gateway (etcdserverpb/rpc.proto, 3.4), one connection a member, with a client certificate. */
export class EtcdClient {
  private readonly authorityPem: string;
  private readonly identity: Identity;
  private readonly clients = new Map<string, ApiClient>();

  constructor(authorityPem: string, identity: Identity) {
    this.authorityPem = authorityPem;
    this.identity = identity;
  }

  /** The members as known to the one at this address. A learner does not answer this. */
  async members(address: string): Promise<readonly ListedMember[]> {
    const answer = await this.ask(address, 'cluster/member/list');
    return listAt(answer, 'members').map(memberOf);
  }

  async status(address: string): Promise<EtcdStatus> {
    const answer = await this.ask(address, 'maintenance/status');
    const leader = textAt(answer, 'leader');
    return {
      id: textAt(answer, 'header', 'member_id'),
      leader: leader === '' || leader === '0' ? null : leader,
      voter: valueAt(answer, 'isLearner') !== true,
    };
  }

  /** Whether it reports itself as healthy: it has a leader, and its proposals are committed. */
  async isHealthy(address: string): Promise<boolean> {
    const answer = await this.clientOf(address)
      .send('GET', '/health')
      .catch(() => null);
    return answer?.status === 200 && String(valueAt(answer.body, 'health')) === 'true';
  }

  /** Adds a learner, which does not count for the quorum; returns its id. */
  async addLearner(at: string, address: string): Promise<string> {
    const body = { peerURLs: [peerUrl(address)], isLearner: true };
    return textAt(await this.ask(at, 'cluster/member/add', body), 'member', 'ID');
  }

  /** @throws Error with etcd's message as long as the learner has not caught up. */
  async promote(at: string, id: string): Promise<void> {
    await this.ask(at, 'cluster/member/promote', { ID: id });
  }

  async remove(at: string, id: string): Promise<void> {
    await this.ask(at, 'cluster/member/remove', { ID: id });
  }

  /** `at` must be the current leader. */
  async moveLeader(at: string, target: string): Promise<void> {
    await this.ask(at, 'maintenance/transfer-leadership', { targetID: target });
  }

  /** Closes the connections to a member that is leaving. */
  forget(address: string): void {
    this.clients.get(address)?.close();
    this.clients.delete(address);
  }

  close(): void {
    for (const address of [...this.clients.keys()]) this.forget(address);
  }

  private async ask(address: string, what: string, body: object = {}): Promise<unknown> {
    return this.clientOf(address).must('POST', `/v3/${what}`, body);
  }

  private clientOf(address: string): ApiClient {
    const known = this.clients.get(address);
    if (known !== undefined) return known;
    const { authorityPem, identity } = this;
    const client = new ApiClient(clientUrl(address), authorityPem, identity, DEADLINE_MS);
    this.clients.set(address, client);
    return client;
  }
}

/** A member that has not started yet has no name. */
function memberOf(answer: unknown): ListedMember {
  const [url] = listAt(answer, 'peerURLs');
  return {
    id: textAt(answer, 'ID'),
    name: textAt(answer, 'name'),
    address: new URL(String(url)).hostname,
    // The gateway omits every field with its default value, so false is absent.
    voter: valueAt(answer, 'isLearner') !== true,
  };
}
