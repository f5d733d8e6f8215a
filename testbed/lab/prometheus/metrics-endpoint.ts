import { createServer, type ServerResponse } from 'node:http';
import { COMPONENTS } from '../../../domain/managers/controller-names.js';
import type { LabCluster } from '../cluster/lab-cluster.js';
import { startServer, stopServer } from '../host/http-servers.js';
import type { LabNode } from '../nodes/lab-node.js';
import { MANAGERS } from '../../../domain/vocabulary.js';

export interface MetricsEndpoint {
  /** Service discovery URL for the nodes of a cluster (Prometheus `http_sd_configs`). */
  targetsUrl(cluster: string): string;
  stop(): Promise<void>;
}

export interface MetricsEndpointOptions {
  readonly clusters: readonly LabCluster[];
  readonly address: string;
  readonly port: number;
}

/** Components of a node that export metrics, and the job names that dashboards use for them. */
const JOBS = { ...COMPONENTS, kubelet: 'kubelet' } as const;
type Part = keyof typeof JOBS;

interface Page {
  readonly status: number;
  readonly type: 'application/json' | 'text/plain';
  readonly text: string;
}

/**
 * Proxies the metrics that a Prometheus outside of the nodes cannot reach: managers listen on the loopback of their
 * node, as kubeadm configures them. Read only, and only on the lab's bridge.
 */
export async function openMetricsEndpoint(
  options: MetricsEndpointOptions,
): Promise<MetricsEndpoint> {
  const { address, port } = options;
  const server = createServer((incoming, outgoing) => {
    pageAt(options, incoming.url ?? '/').then(
      (page) => answer(outgoing, page),
      (error: unknown) => answer(outgoing, notThere(502, error)),
    );
  });
  await startServer(server, { host: address, port });
  return {
    targetsUrl: (cluster) => `http://${address}:${port}/${cluster}`,
    stop: async () => stopServer(server),
  };
}

/** `/CLUSTER`: the list of targets; `/CLUSTER/NODE/PART`: the metrics of one target. */
async function pageAt(options: MetricsEndpointOptions, path: string): Promise<Page> {
  const [, clusterName, nodeName, part] = path.split('/');
  const cluster = options.clusters.find(({ name }) => name === clusterName);
  if (cluster === undefined) return notThere(404, `no cluster ${clusterName ?? ''}`);
  if (nodeName === undefined) {
    const text = JSON.stringify(targetsOf(cluster, options));
    return { status: 200, type: 'application/json', text };
  }
  const node = cluster.nodes.find(({ name }) => name === nodeName);
  if (node === undefined || !isPart(part)) return notThere(404, `no ${path}`);
  return { status: 200, type: 'text/plain', text: await metricsOf(cluster, node, part) };
}

/** The current machines: a deleted machine takes its targets with it. */
function targetsOf(
  { name: cluster, nodes }: LabCluster,
  { address, port }: MetricsEndpointOptions,
): readonly object[] {
  return nodes
    .filter((node) => node.isRunning())
    .flatMap((node) =>
      partsOf(node).map((part) => ({
        targets: [`${address}:${port}`],
        labels: {
          __metrics_path__: `/${cluster}/${node.name}/${part}`,
          job: JOBS[part],
          instance: node.name,
          cluster,
        },
      })),
    );
}

function partsOf(node: LabNode): readonly Part[] {
  const managers = MANAGERS.filter((manager) => node.managerProcesses(manager).length > 0);
  return ['kubelet', ...managers];
}

/** @throws Error when it does not respond, or responds without metrics. */
async function metricsOf(cluster: LabCluster, node: LabNode, part: Part): Promise<string> {
  if (part === 'kubelet') {
    const path = `/api/v1/nodes/${node.name}/proxy/metrics`;
    return String(await cluster.api.must('GET', path));
  }
  const { status, text } = await cluster.askManager(node, part, '/metrics');
  if (status === 200) return text;
  throw new Error(`the ${part} on ${node.name} answered ${status}`);
}

function isPart(word: string | undefined): word is Part {
  return word !== undefined && Object.hasOwn(JOBS, word);
}

function notThere(status: number, why: unknown): Page {
  const text = why instanceof Error ? why.message : String(why);
  return { status, type: 'text/plain', text };
}

function answer(outgoing: ServerResponse, { status, type, text }: Page): void {
  outgoing.writeHead(status, { 'Content-Type': type }).end(text);
}
