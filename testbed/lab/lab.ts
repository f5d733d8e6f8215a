/**
 * The lab as a library: real etcd, API servers, kubelets on containerd, managers and sshd on this machine, as root.
 * Tests open one in their own process; `npm run lab` does the same in a background process.
 */
import { dirname, join } from 'node:path';
import { ensureRelease, isCached, type Release } from './binaries/binary-cache.js';
import { LabCloud } from './cloud/lab-cloud.js';
import { LabCluster } from './cluster/lab-cluster.js';
import { labCgroup } from './host/cgroups.js';
import type { Environment } from '../../devserver/process-environment.js';
import { sshKeyFile, stateFolder } from './host/folders.js';
import { LabUnavailable } from './host/lab-unavailable.js';
import { rootOnlyFolder, probeHost } from './host/probe-host.js';
import { lacks } from './host/requirements.js';
import { writeEtcdImage } from './images/etcd-image.js';
import { gatherImages } from './images/gather-images.js';
import { claimLab, cleanAbandonedLabs } from './lifecycle/claim.js';
import { cleanLab } from './lifecycle/clean.js';
import { startWatchdog } from './lifecycle/watchdog.js';
import { LabMachines } from './machines/lab-machines.js';
import { serveMachines, type MachinesServer } from './machines/machines-server.js';
import { gatewayAddress, PORTS } from './network/address-plan.js';
import { makeBridge } from './network/bridge.js';
import { firstNodes, labHostname } from './nodes/first-nodes.js';
import { ensureSshKey } from './nodes/ssh-login.js';
import { keepMetrics } from './prometheus/keep-metrics.js';
import { keepTruth, NO_TRUTH, type TruthRecorder } from './truth/truth-recorder.js';
import type { TruthKeeper } from './truth/truth-keeper.js';
import type { KubeletCloud } from './nodes/node-spec.js';

export interface LabOptions {
  /** Number of the lab on this machine; the first free one by default. */
  readonly lab?: number;
  /** Clusters `lab-1`, `lab-2`, …; 1 by default. */
  readonly clusters?: number;
  /** Control-plane nodes `cp-1`, `cp-2`, … of each; 3 by default. */
  readonly nodes?: number;
  /** Worker nodes `worker-1`, … of each; none by default. */
  readonly workers?: number;
  /** Version of managers and kubelets at the start. */
  readonly from?: string;
  /** Version of the API servers, and the target of a migration. */
  readonly to?: string;
  /**
   * `stacked`: a member on each control-plane node, as a static pod; `external`: one process per cluster, outside the
   * nodes.
   */
  readonly etcd?: 'external' | 'stacked';
  /** The in-tree provider also runs in the kubelets, as before a migration; `none` gives them no provider. */
  readonly kubelets?: KubeletCloud;
  /** `different`: the OS hostname is not the Node's name, as on some clouds. */
  readonly hostnames?: 'same' | 'different';
  /** Whether the managers' processes are monitored from the start, so that `truth` can report the owners. */
  readonly watched?: boolean;
  /** Whether each cluster has a Prometheus; off by default because it takes CPU from the lab. */
  readonly prometheus?: boolean;
  /** Whether the CCM's access exists before any migration; the product creates its own otherwise. */
  readonly ccmAccess?: boolean;
  readonly env: Environment;
  readonly report: (line: string) => void;
}

export interface Lab {
  readonly number: number;
  /** Everything that the lab stores; removed with it. */
  readonly folder: string;
  readonly cloud: LabCloud;
  readonly clusters: readonly LabCluster[];
  /** Private key of the client that may log in to every node. */
  readonly sshKey: string;
  /** The real owners in a cluster. @throws Error for a lab whose processes are not monitored. */
  truth(cluster: string): TruthKeeper;
  /** Removes everything. */
  close(): Promise<void>;
}

type Plan = Required<Omit<LabOptions, 'lab'>>;

const DEFAULTS = {
  clusters: 1,
  nodes: 3,
  workers: 0,
  from: '1.29.15',
  to: '1.30.14',
  etcd: 'external',
  kubelets: 'inTree',
  hostnames: 'same',
  ccmAccess: false,
  watched: false,
  prometheus: false,
} as const;

/**
 * Builds what is missing, starts a lab and waits until every Node is Ready. When it rejects, nothing is left.
 * @throws LabUnavailable when this machine lacks a prerequisite, with the remedy.
 */
export async function openLab(options: LabOptions): Promise<Lab> {
  const plan: Plan = { ...DEFAULTS, ...options };
  const versions = [...new Set([plan.from, plan.to])];
  await checkHost(versions, plan.env);
  const releases = new Map<string, Release>();
  for (const version of versions) releases.set(version, await ensureRelease(version, plan));
  for (const lab of await cleanAbandonedLabs())
    plan.report(`cleaned up lab ${lab}, whose process had died`);
  const number = await claimLab(options.lab);
  const release = startWatchdog(number);
  const opened: Opened = { cloud: createCloud(number), clusters: [], servers: [], truth: NO_TRUTH };
  const close = async (): Promise<void> => {
    for (const cluster of opened.clusters) cluster.close();
    await opened.truth.end();
    await cleanLab(number);
    for (const server of opened.servers) await server.stop();
    await opened.cloud.stop();
    release();
  };
  try {
    await start({ number, plan, releases, opened });
    const { cloud, clusters } = opened;
    const folder = stateFolder(number);
    const truth = (cluster: string): TruthKeeper => opened.truth.of(cluster);
    return { number, folder, sshKey: sshKeyFile(number), cloud, clusters, truth, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Opened {
  readonly cloud: LabCloud;
  readonly clusters: LabCluster[];
  /** The servers in this process. */
  readonly servers: { stop(): Promise<void> }[];
  truth: TruthRecorder;
}

async function checkHost(versions: readonly string[], env: Environment): Promise<void> {
  const build = versions.some((version) => !isCached(version, env));
  const problems = lacks(await probeHost(env), { build });
  if (problems.length > 0) throw new LabUnavailable(problems.join('\n'));
}

function createCloud(lab: number): LabCloud {
  return new LabCloud({
    address: gatewayAddress(lab),
    port: PORTS.cloud,
    journalFile: join(stateFolder(lab), 'cloud-journal.ndjson'),
  });
}

interface Start {
  readonly number: number;
  readonly plan: Plan;
  readonly releases: ReadonlyMap<string, Release>;
  readonly opened: Opened;
}

async function start({ number, plan, releases, opened }: Start): Promise<void> {
  const { report } = plan;
  const folder = stateFolder(number);
  const startedAt = Date.now();
  const said = (text: string): void => {
    report(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${text}`);
  };
  await makeBridge(number);
  await opened.cloud.start();
  const images = await gatherImages(join(folder, 'images'), [...releases.values()]);
  const stackedEtcd = plan.etcd === 'stacked' ? await stackedEtcdOf(plan, images, releases) : null;
  const clientKeyFile = sshKeyFile(number);
  rootOnlyFolder(dirname(clientKeyFile));
  await ensureSshKey(clientKeyFile);
  for (let index = 1; index <= plan.clusters; index += 1) {
    const name = `lab-${index}`;
    opened.clusters.push(
      new LabCluster({
        ...{ lab: number, number: index, name, images, cloud: opened.cloud, env: plan.env },
        folder: join(folder, name),
        cgroup: join(labCgroup(number), name),
        release: releaseOf(releases, plan.to),
        programsOf: (version) => releaseOf(releases, version).bin,
        ...{ clientKeyFile, stackedEtcd },
      }),
    );
  }
  if (plan.watched) opened.truth = keepTruth({ lab: number, folder, ...opened }, releases.values());
  for (const cluster of opened.clusters) {
    await startCluster(cluster, plan, said);
    opened.servers.push(await serveMachinesOf(cluster, number, plan));
  }
  if (!plan.prometheus) return;
  opened.servers.push(await keepMetrics(number, opened.clusters, plan.env));
  for (const { name, prometheus } of opened.clusters)
    said(`${name}: Prometheus at ${prometheus?.url ?? ''}`);
}

/** A replacement machine is added before the old one is removed, so for a while there is one member more than nodes. */
async function stackedEtcdOf(
  { nodes, env }: Plan,
  images: string,
  releases: Start['releases'],
): Promise<{ readonly image: string; readonly most: number }> {
  const folders = [...releases.keys()].map((version) => join(images, version));
  return { image: await writeEtcdImage(folders, env), most: nodes + 1 };
}

async function serveMachinesOf(
  cluster: LabCluster,
  number: number,
  plan: Plan,
): Promise<MachinesServer> {
  const machines = new LabMachines({
    cluster,
    sourceKubelets: plan.kubelets,
    hostnameOf: (name) => labHostname(name, plan.hostnames),
    versions: [plan.from, plan.to],
  });
  for (const { name, spec } of cluster.nodes)
    if (spec.role === 'controlPlane') machines.adopt(name);
  const server = await serveMachines({
    ...{ machines, cluster: cluster.name, cloud: cluster.cloud, pki: cluster.pki },
    address: gatewayAddress(number),
    port: PORTS.machinesApi + Number(cluster.name.split('-').at(-1)),
  });
  cluster.machinesApiUrl = server.url;
  return server;
}

/** Machines boot while the API server starts: their kubelets wait for it. */
async function startCluster(
  cluster: LabCluster,
  plan: Plan,
  said: (text: string) => void,
): Promise<void> {
  const control = cluster.startControlPlane({ version: plan.from, ccmAccess: plan.ccmAccess });
  const booting = firstNodes(plan).map((spec) => cluster.addMachine(spec));
  // Both are awaited even if one fails, so that no rejection is left unhandled.
  const [first, ...rest] = await Promise.allSettled([control, ...booting]);
  if (first.status === 'rejected') throw first.reason;
  said(`${cluster.name}: API server ${plan.to} ready at ${cluster.server}`);
  const nodes = rest.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  for (const node of nodes) {
    await cluster.nodeReady(node);
    said(`${cluster.name}: node ${node.name} ${plan.from} ready at ${node.address}`);
  }
  said(`${cluster.name}: ${await cluster.kcmLeads()} leads`);
}

function releaseOf(releases: ReadonlyMap<string, Release>, version: string): Release {
  const release = releases.get(version);
  if (release !== undefined) return release;
  throw new Error(`this lab has ${[...releases.keys()].join(' and ')}, not ${version}`);
}
