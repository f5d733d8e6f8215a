import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { digestJson } from '../../domain/digest.js';
import type { PrometheusSettings } from '../../domain/policy.js';
import { failure, failureTypeOf } from '../failures.js';
import type { CallOptions, ClusterMetrics, ClusterPorts, KubernetesApi } from '../ports.js';
import { createCloudLists } from './cloud/cloud-http.js';
import { addressOf } from './credentials/address-of-cluster.js';
import type { ClusterAddress } from './credentials/kubeconfig.js';
import type { Transport } from './credentials/transport.js';
import type { ReasonTypes } from './http/answer-failure.js';
import type { HttpAnswer, HttpRequest } from './http/http.js';
import { type HttpClient, type RequestSeen, createHttpClient } from './http/http.js';
import type { Identify } from './kubernetes/cluster-identity.js';
import { identifyCluster } from './kubernetes/cluster-identity.js';
import { createKubernetesApi } from './kubernetes/kubernetes.js';
import {
  MACHINES_REASONS,
  type MachinesOverHttp,
  createMachines,
} from './machines/machines-http.js';
import {
  NODE_ACCESS_REASONS,
  createNodeFiles,
  createNodeKubelets,
  createNodeProcesses,
} from './machines/node-access-http.js';
import { withoutNodeAccess } from './machines/node-access-presumed.js';
import type { Borrowed } from './shared-transports.js';
import { borrowMetricServer, borrowSshPool, borrowTransport } from './shared-transports.js';
import { createSshNodeAccess } from './ssh/node-access-ssh.js';

/** The part of an inventory entry needed to reach a cluster, without labels and region. */
export type ReachableCluster = Pick<
  InventoryCluster,
  | 'name'
  | 'kubeconfig'
  | 'context'
  | 'uid'
  | 'certificateAuthorities'
  | 'nodeAccess'
  | 'machinesApi'
  | 'cloudApi'
  | 'prometheus'
  | 'allow'
>;

export interface ConnectOptions {
  /** Default `ccm-migrate`; lets a guard or an inspection be recognised in audit logs. */
  readonly userAgent?: string;
  /** Called once for each request sent, by any of the ports. */
  readonly onRequest?: (seen: RequestSeen) => void;
  /**
   * Planned UID of namespace kube-system. Without one, that of the inventory; without that, the one the cluster
   * reports.
   */
  readonly uid?: string;
}

/** One user's view of a cluster: its own request count over shared connections. */
export interface ConnectedCluster extends ClusterPorts {
  readonly machines: MachinesOverHttp | null;
  /** Requests sent through this view so far, retries included. */
  requests(): number;
  /** Releases the shared connections; idle ones close by themselves. */
  close(): Promise<void>;
}

/**
 * Reaches a cluster by its inventory entry. The kubeconfig is read each time, so the next activity uses a renewed credential;
 * while it is unchanged, all views of a cluster share one connection pool. Node access, machines API and cloud API are verified by the
 * same authority and get the same credential.
 */
export async function connectCluster(
  cluster: ReachableCluster,
  { onRequest, userAgent, uid }: ConnectOptions = {},
): Promise<ConnectedCluster> {
  const { address, fingerprint } = await addressOf(cluster);
  const borrowed = borrowTransport(cluster.name, fingerprint, address);
  let count = 0;
  const countOne = (seen: RequestSeen): void => {
    count += 1;
    onRequest?.(seen);
  };
  const client = (base: string, reasonTypes?: ReasonTypes): HttpClient =>
    createHttpClient({
      transport: borrowed.value,
      base: base.replace(/\/+$/, ''),
      ...(reasonTypes === undefined ? {} : { reasonTypes }),
      ...(userAgent === undefined ? {} : { userAgent }),
      onRequest: countOne,
    });
  const { prometheus } = cluster;
  const metrics = prometheus === undefined ? null : metricsOf(prometheus);
  const api = createKubernetesApi(heedingItsStart(client(address.server)));
  const meant = { ...cluster, ...(uid === undefined ? {} : { uid }) };
  const nodes = nodePorts(meant, { api, client, onRequest: countOne, address, borrowed });
  return {
    api,
    files: nodes.files,
    processes: nodes.processes,
    kubelets: nodes.kubelets,
    ...besidesOf(cluster, client),
    ...(metrics === null ? {} : { metrics: metrics.port }),
    requests: () => count,
    close: async () => {
      await Promise.all([borrowed.giveBack(), nodes.giveBack(), metrics?.giveBack()]);
    },
  };
}

/** What answers beside the API server, with the same credential. */
function besidesOf(
  { machinesApi, cloudApi }: ReachableCluster,
  client: Reached['client'],
): Pick<ConnectedCluster, 'machines' | 'cloud'> {
  const cloud =
    cloudApi === undefined
      ? {}
      : { cloud: createCloudLists(client(checkedUrl(cloudApi.url, 'cloudApi'))) };
  if (machinesApi === null) return { machines: null, ...cloud };
  const machines = client(checkedUrl(machinesApi.url, 'machinesApi'), MACHINES_REASONS);
  return { machines: createMachines(machines), ...cloud };
}

function metricsOf(settings: PrometheusSettings): {
  readonly port: ClusterMetrics;
  giveBack(): Promise<void>;
} {
  const { url, match, staleAfterMs } = settings;
  const server = borrowMetricServer(settings);
  const port: ClusterMetrics = {
    host: new URL(url).host,
    labels: Object.keys(match),
    staleAfterMs,
    own: (query, signal) => server.value.batcher.own(query, match, signal),
    joined: (query, signal) => server.value.batcher.joined(query, match, signal),
  };
  return { port, giveBack: () => server.giveBack() };
}

interface Reached {
  readonly api: KubernetesApi;
  readonly client: (base: string, reasonTypes?: ReasonTypes) => HttpClient;
  readonly onRequest: (seen: RequestSeen) => void;
  readonly address: ClusterAddress;
  readonly borrowed: Borrowed<Transport>;
}

type NodePorts = Pick<ClusterPorts, 'files' | 'processes' | 'kubelets'> & {
  giveBack(): Promise<void>;
};

const NOTHING_BORROWED = { giveBack: () => Promise.resolve() };

function nodePorts(cluster: ReachableCluster, reached: Reached): NodePorts {
  const { name, nodeAccess, uid, certificateAuthorities: named } = cluster;
  const { api, address } = reached;
  const identify = identifyCluster({ name, uid, named, ca: address.ca, api });
  switch (nodeAccess.kind) {
    case 'none':
      return { ...withoutNodeAccess(name), ...NOTHING_BORROWED };
    case 'http': {
      const base = checkedUrl(nodeAccess.url, 'nodeAccess');
      const http = identifiedClient(reached.client(base, NODE_ACCESS_REASONS), identify);
      return {
        files: createNodeFiles(http),
        processes: createNodeProcesses(http),
        kubelets: createNodeKubelets(http),
        ...NOTHING_BORROWED,
      };
    }
    case 'ssh': {
      const { onRequest, borrowed } = reached;
      const { credential } = address;
      const pool = borrowSshPool(name, digestJson(nodeAccess));
      const ports = createSshNodeAccess(
        { cluster: name, identify, access: nodeAccess, pool: pool.value, api, onRequest },
        {
          certificate:
            credential.kind === 'clientCertificate'
              ? { pem: credential.certificate, key: credential.key }
              : null,
          bearer: () => borrowed.value.bearer(),
        },
      );
      return { ...ports, giveBack: () => pool.giveBack() };
    }
  }
}

function checkedUrl(url: string, member: string): string {
  if (URL.canParse(url) && new URL(url).protocol === 'https:') return url;
  throw failure('InvalidInput', `${member}.url must be an https address`);
}

/** Adds the expected cluster of the node to each request: docs/contracts/node-access-api.md. */
function identifiedClient(http: HttpClient, identify: Identify): HttpClient {
  return {
    send: async (request, options) => {
      const { uid: cluster, authorities: authority } = await identify();
      return http.send({ ...request, query: { ...request.query, cluster, authority } }, options);
    },
    stream: (request, limits) => http.stream(request, limits),
  };
}

/** The endpoint load balancers check: it answers 200 once every post-start hook is done, including RBAC's. */
const READY = {
  what: 'get /readyz',
  method: 'GET',
  path: '/readyz',
  safe: true,
  answer: 'text',
} as const;

/**
 * An API server that has just started answers 403 to all but `system:masters` until it has read its roles (measured on
 * 1.30.14; post-start hook `rbac/bootstrap-roles`). So a 403 counts only if a ready server repeats it; from one that is not
 * ready it is `Unavailable`. `/readyz` itself may be forbidden; then the same applies.
 */
function heedingItsStart(http: HttpClient): HttpClient {
  const send = async (request: HttpRequest, options?: CallOptions): Promise<HttpAnswer> => {
    try {
      return await http.send(request, options);
    } catch (error) {
      if (failureTypeOf(error) !== 'Forbidden') throw error;
      await requireReady(http, request, options);
      return http.send(request, options);
    }
  };
  return { ...http, send };
}

async function requireReady(
  http: HttpClient,
  { what }: HttpRequest,
  options?: CallOptions,
): Promise<void> {
  try {
    await http.send(READY, options);
  } catch (error) {
    if (failureTypeOf(error) === null || !(error instanceof Error)) throw error;
    throw failure(
      'Unavailable',
      `${what}: answered 403, and the API server is not ready: ${error.message}`,
    );
  }
}
