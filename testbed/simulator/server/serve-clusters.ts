import { once } from 'node:events';
import type { Server } from 'node:https';
import { join } from 'node:path';
import { createAuthority, type CertificateAuthority } from '../../base/auth/certificates.js';
import { Credentials } from '../../base/auth/credentials.js';
import { kubeconfigText, writePrivate } from '../../base/auth/written-kubeconfig.js';
import type { SimulatedCluster } from '../model.js';
import type { ApiRequester } from '../../base/auth/requester.js';
import { ClusterFront, type FrontOptions } from './cluster-front.js';
import { createListener } from './https-listener.js';
import { befall } from '../shape/befall.js';
import type { ShapeFault } from '../shape/shape-faults.js';
import { inventoryText } from './inventory-file.js';

export interface ServeOptions extends Partial<FrontOptions> {
  readonly clusters: readonly SimulatedCluster[];
  /** 0 selects a free port. */
  readonly port: number;
  /** How many times as fast as real time the clusters' clock runs; reported with the truth. */
  readonly speed: number;
  /** Folder for kubeconfigs and inventory. */
  readonly stateDir: string;
  readonly region?: string;
  /** What is particular about some of them, by id. */
  readonly particulars?: ReadonlyMap<string, ClusterParticulars>;
  /** The kind of credential in the written kubeconfigs. */
  readonly credential?: CredentialKind;
}

/** Where a cluster is, for the inventory, and what befalls it. */
export interface ClusterParticulars {
  readonly region: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly faults: readonly ShapeFault[];
}

export type CredentialKind = 'token' | 'clientCertificate';

export interface RunningSimulator {
  /** `https://127.0.0.1:<port>`. */
  readonly url: string;
  /** Path of each cluster's kubeconfig, for its administrator. */
  readonly kubeconfigs: Readonly<Record<string, string>>;
  readonly inventoryPath: string;
  /** Certificate of the authority that signed the server's, PEM. */
  readonly authorityPem: string;
  /** Text of another user's kubeconfig, with `credential` as its kind of credential if given. */
  kubeconfigFor(cluster: string, requester: ApiRequester, credential?: CredentialKind): string;
  /** Closes connections and ends clusters and timers. */
  stop(): Promise<void>;
}

const ADMINISTRATOR: ApiRequester = { user: 'kubernetes-admin', groups: ['system:masters'] };
const DEFAULTS: FrontOptions = { bookmarkMs: 5000, historyLimit: 512 };

/** Serves existing clusters over HTTPS on the loopback, and writes kubeconfigs and the inventory. */
export async function serveClusters(options: ServeOptions): Promise<RunningSimulator> {
  const authority = createAuthority('ccm-migrate-simulator');
  for (const cluster of options.clusters) cluster.trust(authority.certificatePem);
  const fronts = openFronts(options, authority);
  const server = createListener({ authority, fronts, speed: options.speed });
  const url = `https://127.0.0.1:${await listeningPort(server, options.port)}`;
  const baseOf = (id: string): string => `${url}/clusters/${encodeURIComponent(id)}`;
  const kubeconfigFor = (
    id: string,
    requester: ApiRequester,
    credential = options.credential ?? 'token',
  ): string =>
    textFor({ front: fronts.get(id), server: baseOf(id), authority, requester, credential });
  const entries = options.clusters.map(({ id }) => {
    const path = join(options.stateDir, `${id}.kubeconfig`);
    writePrivate(path, kubeconfigFor(id, ADMINISTRATOR));
    const { region = options.region ?? 'default', labels = {} } = particularsOf(options, id);
    return { id, region, labels, kubeconfig: path, server: baseOf(id) };
  });
  const inventoryPath = join(options.stateDir, 'inventory.yaml');
  writePrivate(inventoryPath, inventoryText(entries));
  beginFaults(options, fronts);
  return {
    url,
    kubeconfigs: Object.fromEntries(entries.map(({ id, kubeconfig }) => [id, kubeconfig])),
    inventoryPath,
    authorityPem: authority.certificatePem,
    kubeconfigFor,
    stop: async () => {
      for (const front of fronts.values()) front.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listeningPort(server: Server, wanted: number): Promise<number> {
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : wanted;
}

function beginFaults(options: ServeOptions, fronts: ReadonlyMap<string, ClusterFront>): void {
  for (const [id, front] of fronts) befall(front, particularsOf(options, id).faults ?? []);
}

function particularsOf(options: ServeOptions, id: string): Partial<ClusterParticulars> {
  return options.particulars?.get(id) ?? {};
}

function openFronts(
  options: ServeOptions,
  authority: CertificateAuthority,
): ReadonlyMap<string, ClusterFront> {
  const settings: FrontOptions = {
    bookmarkMs: options.bookmarkMs ?? DEFAULTS.bookmarkMs,
    historyLimit: options.historyLimit ?? DEFAULTS.historyLimit,
  };
  return new Map(
    options.clusters.map((cluster) => [
      cluster.id,
      new ClusterFront(cluster, new Credentials(cluster.id, authority), settings),
    ]),
  );
}

interface TextParts {
  readonly front: ClusterFront | undefined;
  readonly server: string;
  readonly authority: CertificateAuthority;
  readonly requester: ApiRequester;
  readonly credential: CredentialKind;
}

function textFor({ front, server, authority, requester, credential }: TextParts): string {
  if (front === undefined) throw new Error(`the simulator has no cluster at ${server}`);
  const { credentials, cluster } = front;
  return kubeconfigText({
    cluster: cluster.id,
    server,
    authorityPem: authority.certificatePem,
    user: requester.user,
    credential:
      credential === 'clientCertificate'
        ? { clientCertificate: credentials.issueCertificate(requester) }
        : { token: credentials.issueToken(requester) },
  });
}
