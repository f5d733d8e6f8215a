import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Identity } from '../../base/auth/certificates.js';
import { writePrivate } from '../../base/auth/written-kubeconfig.js';
import type { Release } from '../binaries/binary-cache.js';
import { rootOnlyFolder } from '../host/probe-host.js';
import { NO_PROXY, startLabProcess, type StartedProcess } from '../host/started-process.js';
import { PORTS } from '../network/address-plan.js';
import { AUDIT_POLICY } from './audit-policy.js';
import { NETWORKS } from './networks.js';
import type { ClusterPki } from './pki.js';
import { untilServed } from './served-certificate.js';

/** An external etcd, and how an API server reaches its members. */
export interface EtcdConnection {
  readonly servers: readonly string[];
  readonly authorityPem: string;
  readonly identity: Identity;
  /** Maps the members' names to addresses; mounted as the API server's /etc/hosts. */
  readonly hostsFile: string;
}

export interface ControlPlaneOptions {
  /** Folder of the cluster in the lab's state. */
  readonly folder: string;
  readonly address: string;
  readonly namespace: string;
  readonly cgroup: string;
  readonly release: Release;
  readonly pki: ClusterPki;
  /** Null for an etcd of its own beside it. */
  readonly etcd: EtcdConnection | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Its own etcd listens on the loopback of the cluster's own network namespace: nothing else can reach it. */
const ETCD_CLIENT = 'http://127.0.0.1:2379';
const ETCD_PEER = 'http://127.0.0.1:2380';
const STARTS_AGAIN_AFTER_MS = 500;
const CERTIFICATE = 'apiserver.crt';

/**
 * API server of a cluster, with an external etcd, in a network namespace of their own at the cluster's single
 * address.
 */
export class ApiServer {
  readonly auditLog: string;
  private readonly options: ControlPlaneOptions;
  private readonly pkiFolder: string;
  private wanted = false;
  private isKept = false;
  private process: StartedProcess | null = null;

  constructor(options: ControlPlaneOptions) {
    this.options = options;
    this.pkiFolder = join(options.folder, 'pki');
    this.auditLog = join(options.folder, 'log', 'audit.log');
  }

  /** Starts it, and its own etcd if it has one; returns before it is ready. */
  start(): void {
    this.writeFiles();
    if (this.options.etcd === null) this.startOwnEtcd();
    this.restore();
  }

  private startOwnEtcd(): void {
    const { folder, cgroup, namespace, env } = this.options;
    startLabProcess({
      name: 'etcd',
      command: ['etcd', ...etcdFlags(rootOnlyFolder(join(folder, 'etcd')))],
      cgroup: join(cgroup, 'etcd'),
      namespace,
      env,
      logFile: join(folder, 'log', 'etcd.log'),
    });
  }

  /** SIGKILL; it stays down until `restore`. */
  async kill(): Promise<void> {
    this.wanted = false;
    this.process?.signal('SIGKILL');
    await this.process?.ended;
  }

  restore(): void {
    this.wanted = true;
    if (!this.isKept) void this.keepRunning();
  }

  /** From now on it serves an expired certificate, until `renewCertificate`. */
  async expireCertificate(): Promise<void> {
    await this.serveCertificate(this.options.pki.expiredApiServer().certificatePem);
  }

  async renewCertificate(): Promise<void> {
    await this.serveCertificate(this.options.pki.apiServer.certificatePem);
  }

  /** Marks the coming end as intended, so that nothing is restarted. */
  abandon(): void {
    this.wanted = false;
  }

  /**
   * Installs another certificate for its key. The API server watches the file and serves the new content to later
   * connections (kubernetes/kubernetes#104102, since 1.23). Open connections stay. A killed API server serves it once
   * it is restored.
   */
  private async serveCertificate(pem: string): Promise<void> {
    writePrivate(join(this.pkiFolder, CERTIFICATE), pem);
    if (this.isWanted()) await untilServed(this.options.address, PORTS.apiServer, pem);
  }

  /**
   * Restarts it on exit, as the kubelet restarts a static pod's container: an API server exits when etcd is not up in
   * time.
   */
  private async keepRunning(): Promise<void> {
    const { folder, cgroup, namespace, env, release, etcd } = this.options;
    this.isKept = true;
    do {
      this.process = startLabProcess({
        name: 'kube-apiserver',
        command: withHosts(etcd?.hostsFile, [release.program('kube-apiserver'), ...this.flags()]),
        cgroup: join(cgroup, 'kube-apiserver'),
        namespace,
        env: { ...env, ...NO_PROXY },
        logFile: join(folder, 'log', 'kube-apiserver.log'),
      });
      await this.process.ended;
      await sleep(STARTS_AGAIN_AFTER_MS);
    } while (this.isWanted() && existsSync(folder));
    this.isKept = false;
  }

  /** Checked again after each wait: a fault may have killed it on purpose meanwhile. */
  private isWanted(): boolean {
    return this.wanted;
  }

  private writeFiles(): void {
    const { pki, folder, etcd } = this.options;
    rootOnlyFolder(join(folder, 'log'));
    const files: Readonly<Record<string, string>> = {
      'ca.crt': pki.authority.certificatePem,
      [CERTIFICATE]: pki.apiServer.certificatePem,
      'apiserver.key': pki.apiServer.privateKeyPem,
      'apiserver-kubelet-client.crt': pki.apiServerToKubelet.certificatePem,
      'apiserver-kubelet-client.key': pki.apiServerToKubelet.privateKeyPem,
      'front-proxy-ca.crt': pki.frontProxy.certificatePem,
      'front-proxy-client.crt': pki.frontProxyClient.certificatePem,
      'front-proxy-client.key': pki.frontProxyClient.privateKeyPem,
      'sa.key': pki.serviceAccounts.privatePem,
      'sa.pub': pki.serviceAccounts.publicPem,
      'audit-policy.json': AUDIT_POLICY,
      ...(etcd === null
        ? {}
        : {
            'etcd-ca.crt': etcd.authorityPem,
            'apiserver-etcd-client.crt': etcd.identity.certificatePem,
            'apiserver-etcd-client.key': etcd.identity.privateKeyPem,
          }),
    };
    for (const [name, text] of Object.entries(files)) {
      writePrivate(join(this.pkiFolder, name), text);
    }
  }

  private etcdClientFlags(): readonly string[] {
    const { etcd } = this.options;
    if (etcd === null) return [`--etcd-servers=${ETCD_CLIENT}`];
    const file = (name: string): string => join(this.pkiFolder, name);
    return [
      `--etcd-cafile=${file('etcd-ca.crt')}`,
      `--etcd-certfile=${file('apiserver-etcd-client.crt')}`,
      `--etcd-keyfile=${file('apiserver-etcd-client.key')}`,
      `--etcd-servers=${etcd.servers.join(',')}`,
    ];
  }

  /** kubeadm's flags, plus the audit log, without the Endpoints of a Service that nothing uses here. */
  private flags(): readonly string[] {
    const { address } = this.options;
    const file = (name: string): string => join(this.pkiFolder, name);
    return [
      `--advertise-address=${address}`,
      '--allow-privileged=true',
      `--audit-log-path=${this.auditLog}`,
      '--audit-log-maxsize=200',
      `--audit-policy-file=${file('audit-policy.json')}`,
      '--authorization-mode=Node,RBAC',
      `--bind-address=${address}`,
      `--client-ca-file=${file('ca.crt')}`,
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth=true',
      '--endpoint-reconciler-type=none',
      ...this.etcdClientFlags(),
      `--kubelet-client-certificate=${file('apiserver-kubelet-client.crt')}`,
      `--kubelet-client-key=${file('apiserver-kubelet-client.key')}`,
      '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
      `--proxy-client-cert-file=${file('front-proxy-client.crt')}`,
      `--proxy-client-key-file=${file('front-proxy-client.key')}`,
      '--requestheader-allowed-names=front-proxy-client',
      `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      `--secure-port=${PORTS.apiServer}`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${file('sa.pub')}`,
      `--service-account-signing-key-file=${file('sa.key')}`,
      `--service-cluster-ip-range=${NETWORKS.services}`,
      `--tls-cert-file=${file(CERTIFICATE)}`,
      `--tls-private-key-file=${file('apiserver.key')}`,
    ];
  }
}

/** Runs a program with its own /etc/hosts; the pid stays the same from the start. */
function withHosts(
  hostsFile: string | undefined,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  if (hostsFile === undefined) return command;
  const bind = 'mount --bind "$0" /etc/hosts && exec "$@"';
  // Unmounts on the machine must propagate here: otherwise this namespace would keep a node's network namespace
  // alive.
  const inside = ['--mount', '--propagation', 'slave', 'sh', '-c', bind, hostsFile];
  return ['unshare', ...inside, ...command];
}

function etcdFlags(dataFolder: string): readonly string[] {
  return [
    `--data-dir=${dataFolder}`,
    // A lab that loses power is discarded, so durability is not needed.
    '--unsafe-no-fsync',
    `--listen-client-urls=${ETCD_CLIENT}`,
    `--advertise-client-urls=${ETCD_CLIENT}`,
    `--listen-peer-urls=${ETCD_PEER}`,
    `--initial-advertise-peer-urls=${ETCD_PEER}`,
    `--initial-cluster=default=${ETCD_PEER}`,
  ];
}
