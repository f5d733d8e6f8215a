import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manager } from '../../../domain/vocabulary.js';
import { writePrivate } from '../../base/auth/written-kubeconfig.js';
import { ETCD_MANIFEST } from '../../base/kubeadm-defaults.js';
import type { Release } from '../binaries/binary-cache.js';
import type { ClusterCloud } from '../cloud/cluster-cloud.js';
import type { LabCloud } from '../cloud/lab-cloud.js';
import { awaited } from '../host/awaited.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { rootOnlyFolder } from '../host/probe-host.js';
import { nodeFiles } from '../nodes/node-files.js';
import type { NodeSpec } from '../nodes/node-spec.js';
import { fetchInside } from '../nodes/fetch-inside.js';
import { LabNode } from '../nodes/lab-node.js';
import { replaceFile } from '../nodes/node-disk-writes.js';
import { StackedEtcd, type StackedEtcdOptions } from '../etcd/stacked-etcd.js';
import { apiAddress, machineAddress, PORTS } from '../network/address-plan.js';
import { plugIn } from '../network/bridge.js';
import type { LabPrometheus } from '../prometheus/lab-prometheus.js';
import { ApiClient } from './api-client.js';
import { ApiServer } from './api-server.js';
import { createFirstObjects } from './first-objects.js';
import { leaseHolder, isReadyNode } from './object-fields.js';
import { createPki, USERS, type ClusterPki } from './pki.js';

export interface LabClusterOptions {
  readonly lab: number;
  /** Number of the cluster in the lab, from 1. */
  readonly number: number;
  readonly name: string;
  readonly folder: string;
  readonly cgroup: string;
  readonly cloud: LabCloud;
  /** The API server's release. */
  readonly release: Release;
  /** Folder of the programs of a node's version. */
  readonly programsOf: (version: string) => string;
  readonly images: string;
  readonly clientKeyFile: string;
  /** Etcd on the control-plane nodes; null for one beside the API server. */
  readonly stackedEtcd: Pick<StackedEtcdOptions, 'image' | 'most'> | null;
  readonly env: Environment;
}

const KCM_LEASE =
  '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
const NODE_PATIENCE_MS = 180_000;
const API_PATIENCE_MS = 60_000;
const POLL_EVERY_MS = 200;

/** A cluster of the lab: etcd, API server, and machines that are added and removed. */
export class LabCluster {
  readonly name: string;
  readonly server: string;
  /** Of an administrator, and of the product's own user, who has no right before a role is bound to it. */
  readonly kubeconfig: string;
  readonly workerKubeconfig: string;
  readonly pki: ClusterPki;
  readonly api: ApiClient;
  readonly apiServer: ApiServer;
  /** Null where etcd is external. */
  readonly etcd: StackedEtcd | null;
  /** Host keys of the existing machines, as the machine provider knows them: known_hosts(5), by `NODE@CLUSTER`. */
  readonly knownHosts: string;
  /** By address: every machine that ever existed, because addresses are never reused. */
  readonly hosts = new Map<string, { readonly node: string; readonly hostname: string }>();
  /** The cluster's resources at the cloud. */
  readonly cloud: ClusterCloud;
  /** Where machines are ordered and deleted; null until the API is served. */
  machinesApiUrl: string | null = null;
  /** Null unless it was requested. */
  prometheus: LabPrometheus | null = null;
  private readonly options: LabClusterOptions;
  private readonly token: string;
  private readonly machines = new Map<string, LabNode>();
  private machinesGiven = 0;

  constructor(options: LabClusterOptions) {
    const { lab, number, name, folder, cloud, release, cgroup, env, stackedEtcd } = options;
    const address = apiAddress(lab, number);
    this.options = options;
    this.name = name;
    this.server = `https://${address}:${PORTS.apiServer}`;
    this.pki = createPki(name, address, this.server);
    this.kubeconfig = join(folder, 'admin.kubeconfig');
    this.workerKubeconfig = join(folder, 'worker.kubeconfig');
    this.knownHosts = join(folder, 'known_hosts');
    const account = cloud.addCluster(name);
    this.cloud = account.cloud;
    this.token = account.token;
    const { authority } = this.pki;
    this.api = new ApiClient(
      this.server,
      authority.certificatePem,
      this.pki.issue(USERS.superAdmin),
    );
    this.etcd =
      stackedEtcd === null
        ? null
        : new StackedEtcd({
            ...{ ...stackedEtcd, cluster: name, authority: this.pki.etcd },
            hostsFile: join(folder, 'hosts'),
          });
    this.apiServer = new ApiServer({
      ...{ folder, address, release, env, pki: this.pki },
      etcd: this.etcd?.connection ?? null,
      cgroup: join(cgroup, 'control-plane'),
      namespace: `ccmlab-${lab}-${name}-api`,
    });
  }

  /** Machines that exist, running or crashed, in the order of their creation. */
  get nodes(): readonly LabNode[] {
    return [...this.machines.values()];
  }

  node(name: string): LabNode {
    const node = this.machines.get(name);
    if (node !== undefined) return node;
    const names = [...this.machines.keys()].join(', ');
    throw new Error(`cluster ${this.name} has no node ${name}; it has ${names}`);
  }

  /** Starts the API server, with its etcd or once the first machine's etcd leads, and creates kubeadm's objects. */
  async startControlPlane(input: { version: string; ccmAccess: boolean }): Promise<void> {
    const { lab, number, name, folder } = this.options;
    rootOnlyFolder(folder);
    writePrivate(this.kubeconfig, this.pki.kubeconfig(USERS.admin));
    writePrivate(this.workerKubeconfig, this.pki.kubeconfig(USERS.worker));
    await plugIn({ lab, cluster: number, place: `${name}-api`, address: apiAddress(lab, number) });
    await this.etcd?.untilFounded();
    this.apiServer.start();
    await this.api.until('/readyz', API_PATIENCE_MS);
    const etcdNames = this.etcd?.names ?? null;
    await createFirstObjects(this.api, { ...input, server: this.server, etcdNames });
  }

  /** Creates an instance at the cloud and boots the machine; `nodeReady` waits until it is up. */
  async addMachine(spec: NodeSpec): Promise<LabNode> {
    const { lab, number, name, folder, cgroup, programsOf, images, clientKeyFile, env } =
      this.options;
    if (this.machines.has(spec.name)) throw new Error(`${spec.name} exists already in ${name}`);
    this.machinesGiven += 1;
    const address = machineAddress(lab, number, this.machinesGiven);
    const nodeCgroup = join(cgroup, spec.name);
    const node = new LabNode({
      spec,
      folder: join(folder, 'nodes', spec.name),
      plug: { lab, cluster: number, place: `${name}-${spec.name}`, address },
      cgroup: nodeCgroup,
      files: {
        ...(spec.role === 'controlPlane' ? this.etcd?.filesFor({ name: spec.name, address }) : {}),
        ...nodeFiles(spec, {
          ...{ address, pki: this.pki },
          account: { url: this.options.cloud.url, token: this.token, cluster: name },
        }),
      },
      ...{ programs: programsOf(spec.version), images, clientKeyFile, env },
    });
    this.machines.set(spec.name, node);
    this.cloud.instances.set(spec.name, { address, shutdown: false });
    this.hosts.set(address, { node: spec.name, hostname: spec.hostname });
    await node.start();
    const line = `${this.hostAlias(spec.name)} ${node.sshAccess.hostKey}\n`;
    appendFileSync(this.knownHosts, line, { mode: 0o600 });
    return node;
  }

  /**
   * Waits until the Node is registered and Ready, its images are imported and its etcd member, if any, is a voter.
   * Labels it as kubeadm does.
   */
  async nodeReady(node: LabNode): Promise<void> {
    const path = `/api/v1/nodes/${node.name}`;
    await this.nodeUntil(node, () => true);
    if (node.spec.role === 'controlPlane') {
      const labels = {
        'node-role.kubernetes.io/control-plane': '',
        'node.kubernetes.io/exclude-from-external-load-balancers': '',
      };
      await this.api.mergePatch(path, { metadata: { labels } });
      const { name, address } = node;
      const putManifest = (text: string): void => replaceFile(node, ETCD_MANIFEST, text);
      await this.etcd?.join({ name, address }, putManifest);
    }
    await this.nodeUntil(node, (object) => isReadyNode(object) && node.hasImages());
  }

  /** Waits for a machine's Node object; if the machine ends meanwhile, fails at once with the end of its logs. */
  private async nodeUntil(node: LabNode, isSo: (object: unknown) => boolean): Promise<void> {
    const endsAt = Date.now() + NODE_PATIENCE_MS;
    for (;;) {
      const seen = await this.api.send('GET', `/api/v1/nodes/${node.name}`).catch(() => null);
      if (seen?.status === 200 && isSo(seen.body)) return;
      const isLate = Date.now() > endsAt;
      if (!node.isRunning() || isLate) {
        const what = isLate ? `is not ready after ${NODE_PATIENCE_MS / 1000} s` : 'ended';
        throw new Error(
          `${this.name}: node ${node.name} ${what}; its logs end:\n${node.lastWords()}`,
        );
      }
      await sleep(POLL_EVERY_MS);
    }
  }

  /** Waits until every control-plane machine runs a KCM and one of them leads; returns its identity. */
  async kcmLeads(): Promise<string> {
    const runsKcm = (node: LabNode): boolean =>
      node.spec.role === 'worker' || node.managerProcesses('kcm').length > 0;
    const allRun = (): true | null => (this.nodes.every(runsKcm) ? true : null);
    const patience = { withinMs: NODE_PATIENCE_MS, everyMs: POLL_EVERY_MS };
    await awaited(`each control-plane machine of ${this.name} runs a KCM`, allRun, patience);
    const lease = await this.api.until(
      KCM_LEASE,
      NODE_PATIENCE_MS,
      (one) => leaseHolder(one) !== '',
    );
    return leaseHolder(lease);
  }

  /**
   * What a manager reports on its node's loopback: `/metrics`, `/configz`, `/healthz`. It answers `superAdmin`
   * without the API server (k8s.io/apiserver DelegatingAuthorizationOptions, AlwaysAllowGroups); every other user
   * needs a review.
   */
  async askManager(
    node: LabNode,
    manager: Manager,
    path: '/metrics' | '/configz' | '/healthz',
    as: 'superAdmin' | 'admin' = 'superAdmin',
  ): Promise<{ readonly status: number; readonly text: string }> {
    const port = manager === 'kcm' ? 10257 : 10258;
    const identity = this.pki.issue(USERS[as]);
    return fetchInside(node.networkNamespace, `https://127.0.0.1:${port}${path}`, identity);
  }

  /**
   * Removes the etcd member, then the machine and its instance at the cloud at once. The Node object stays unless it
   * is deleted too.
   */
  async removeMachine(name: string, options: { readonly deleteNode: boolean }): Promise<void> {
    const node = this.node(name);
    if (node.spec.role === 'controlPlane') await this.etcd?.leave(node.address);
    await node.remove();
    this.cloud.instances.delete(name);
    this.machines.delete(name);
    this.forgetHostKey(name);
    if (options.deleteNode) await this.api.send('DELETE', `/api/v1/nodes/${name}`);
  }

  /** Another machine may get the name, so the key pinned for this one must go. */
  private forgetHostKey(name: string): void {
    const others = readFileSync(this.knownHosts, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith(`${this.hostAlias(name)} `));
    writePrivate(this.knownHosts, others.join('\n'));
  }

  private hostAlias(node: string): string {
    return `${node}@${this.name}`;
  }

  close(): void {
    this.apiServer.abandon();
    this.api.close();
    this.etcd?.close();
  }
}
