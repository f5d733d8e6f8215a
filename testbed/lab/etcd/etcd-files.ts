import { staticPodManifest, type Probe } from '../cluster/static-pod.js';
import type { CertificateAuthority, Identity } from '../../base/auth/certificates.js';

type Files = Readonly<Record<string, string>>;

export const ETCD_DATA = '/var/lib/etcd';
const PKI = '/etc/kubernetes/pki/etcd';
const METRICS_PORT = 2381;

/**
 * Etcd arguments beyond kubeadm's, as `etcd.local.extraArgs` would set them. A lab that loses power is discarded, so
 * durability is not needed; and all members share two cores, so a late member must not count as failed.
 */
export const ETCD_EXTRA: Readonly<Record<string, string>> = {
  'election-timeout': '2500',
  'heartbeat-interval': '250',
  'unsafe-no-fsync': 'true',
};

/** A machine that hosts an etcd member. */
export interface EtcdPlace {
  /** The Node's name, which kubeadm also gives its member. */
  readonly name: string;
  readonly address: string;
}

export function clientUrl(address: string): string {
  return `https://${address}:2379`;
}

export function peerUrl(address: string): string {
  return `https://${address}:2380`;
}

/**
 * Certificates of a member in kubeadm's layout (cmd/kubeadm/app/phases/certs/certlist.go, 1.29), valid for further
 * names too.
 */
export function etcdCertificates(
  authority: CertificateAuthority,
  { name, address }: EtcdPlace,
  furtherNames: readonly string[],
): Files {
  const hosts = [name, 'localhost', address, '127.0.0.1'];
  return {
    [`${PKI}/ca.crt`]: authority.certificatePem,
    [`${PKI}/ca.key`]: authority.exportPrivateKey(),
    // The member's JSON gateway calls its own server with the server's certificate, which must also be valid for a
    // client.
    ...pair('server', authority.issuePeer([...hosts, ...furtherNames])),
    ...pair('peer', authority.issuePeer(hosts)),
    ...pair('healthcheck-client', authority.issueClient('kube-etcd-healthcheck-client', [], '')),
  };
}

function pair(name: string, { certificatePem, privateKeyPem }: Identity): Files {
  return { [`${PKI}/${name}.crt`]: certificatePem, [`${PKI}/${name}.key`]: privateKeyPem };
}

export interface EtcdPod extends EtcdPlace {
  readonly image: string;
  /** Existing members; empty for the first one, which bootstraps the cluster. */
  readonly others: readonly EtcdPlace[];
}

/** Etcd's static pod as kubeadm writes it (cmd/kubeadm/app/phases/etcd/local.go, 1.29). */
export function etcdManifest(pod: EtcdPod): string {
  return staticPodManifest({
    name: 'etcd',
    image: pod.image,
    arguments: Object.entries({ ...settingsOf(pod), ...ETCD_EXTRA })
      .map(([flag, value]) => `--${flag}=${value}`)
      .toSorted(),
    liveness: health('exclude=NOSPACE&serializable=true'),
    startup: health('serializable=false'),
    cpu: '100m',
    memory: '100Mi',
    mounts: [
      { name: 'etcd-data', path: ETCD_DATA, type: 'DirectoryOrCreate', writable: true },
      { name: 'etcd-certs', path: PKI, type: 'DirectoryOrCreate', writable: true },
    ],
    annotations: { 'kubeadm.kubernetes.io/etcd.advertise-client-urls': clientUrl(pod.address) },
  });
}

function settingsOf({ name, address, others }: EtcdPod): Readonly<Record<string, string>> {
  const members = [...others, { name, address }];
  return {
    'advertise-client-urls': clientUrl(address),
    'cert-file': `${PKI}/server.crt`,
    'client-cert-auth': 'true',
    'data-dir': ETCD_DATA,
    'experimental-initial-corrupt-check': 'true',
    'experimental-watch-progress-notify-interval': '5s',
    'initial-advertise-peer-urls': peerUrl(address),
    'initial-cluster': members.map((each) => `${each.name}=${peerUrl(each.address)}`).join(','),
    ...(others.length === 0 ? {} : { 'initial-cluster-state': 'existing' }),
    'key-file': `${PKI}/server.key`,
    'listen-client-urls': `${clientUrl('127.0.0.1')},${clientUrl(address)}`,
    'listen-metrics-urls': `http://127.0.0.1:${METRICS_PORT}`,
    'listen-peer-urls': peerUrl(address),
    name,
    'peer-cert-file': `${PKI}/peer.crt`,
    'peer-client-cert-auth': 'true',
    'peer-key-file': `${PKI}/peer.key`,
    'peer-trusted-ca-file': `${PKI}/ca.crt`,
    'snapshot-count': '10000',
    'trusted-ca-file': `${PKI}/ca.crt`,
  };
}

function health(question: string): Probe {
  return { path: `/health?${question}`, port: METRICS_PORT, scheme: 'HTTP' };
}
