import type { Manager } from '../../domain/vocabulary.js';
import type { CloudFault } from './cloud/cloud-call.js';
import type { LabCluster } from './cluster/lab-cluster.js';
import type { Lab } from './lab.js';
import { fillDisk, freeDisk } from './nodes/small-disk.js';

export const NODE_FAULTS = [
  'crashNode',
  'bootNode',
  'cutNetwork',
  'mendNetwork',
  'fillDisk',
  'freeDisk',
] as const;
export const MANAGER_FAULTS = ['killManager', 'pauseManager', 'resumeManager'] as const;
export const API_FAULTS = [
  'killApiServer',
  'restoreApiServer',
  'expireCertificate',
  'renewCertificate',
] as const;

export const PROMETHEUS_FAULTS = ['killPrometheus', 'restorePrometheus'] as const;

interface NodeFault {
  readonly kind: (typeof NODE_FAULTS)[number];
  readonly node: string;
}

interface ManagerFault {
  readonly kind: (typeof MANAGER_FAULTS)[number];
  readonly node: string;
  readonly manager: Manager;
}

interface ApiFault {
  readonly kind: (typeof API_FAULTS)[number];
}

interface PrometheusFault {
  readonly kind: (typeof PROMETHEUS_FAULTS)[number];
}

/** The faults that can be injected into a lab. */
export type LabFault =
  | NodeFault
  | ManagerFault
  | ApiFault
  | PrometheusFault
  | { readonly kind: 'setCloudFaults'; readonly faults: readonly CloudFault[] };

const SIGNALS = {
  killManager: 'SIGKILL',
  pauseManager: 'SIGSTOP',
  resumeManager: 'SIGCONT',
} as const;

/** Injects a fault; it has taken effect when this resolves. Returns a line for the operator. */
export async function letHappen(lab: Lab, cluster: LabCluster, fault: LabFault): Promise<string> {
  switch (fault.kind) {
    case 'killManager':
    case 'pauseManager':
    case 'resumeManager':
      return toManager(cluster, fault);
    case 'killApiServer':
    case 'restoreApiServer':
    case 'expireCertificate':
    case 'renewCertificate':
      return toApiServer(cluster, fault);
    case 'killPrometheus':
    case 'restorePrometheus':
      return toPrometheus(cluster, fault);
    case 'setCloudFaults':
      lab.cloud.setFaults(fault.faults);
      return `${fault.faults.length} fault(s) of the cloud are set`;
    case 'crashNode':
    case 'bootNode':
    case 'cutNetwork':
    case 'mendNetwork':
    case 'fillDisk':
    case 'freeDisk':
      return toNode(cluster, fault);
  }
}

async function toNode(cluster: LabCluster, fault: NodeFault): Promise<string> {
  const node = cluster.node(fault.node);
  switch (fault.kind) {
    case 'crashNode':
      await node.crash();
      return `${fault.node} has crashed`;
    case 'bootNode':
      node.boot();
      return `${fault.node} boots`;
    case 'cutNetwork':
      await node.switchNetwork('down');
      return `the cable of ${fault.node} is cut`;
    case 'mendNetwork':
      await node.switchNetwork('up');
      return `the cable of ${fault.node} is restored`;
    case 'fillDisk':
      fillDisk(node.folder);
      return `/etc/kubernetes of ${fault.node} is full`;
    case 'freeDisk':
      freeDisk(node.folder);
      return `/etc/kubernetes of ${fault.node} has space again`;
  }
}

function toManager(cluster: LabCluster, { kind, node, manager }: ManagerFault): string {
  const count = cluster.node(node).signalManager(manager, SIGNALS[kind]);
  if (count > 0) return `${SIGNALS[kind]} to ${count} process(es) on ${node}`;
  throw new Error(`no ${manager} runs on ${node}`);
}

async function toApiServer({ name, apiServer }: LabCluster, { kind }: ApiFault): Promise<string> {
  switch (kind) {
    case 'killApiServer':
      await apiServer.kill();
      return `the API server of ${name} is down`;
    case 'restoreApiServer':
      apiServer.restore();
      return `the API server of ${name} starts`;
    case 'expireCertificate':
      await apiServer.expireCertificate();
      return `the certificate of the API server of ${name} has expired; open connections stay`;
    case 'renewCertificate':
      await apiServer.renewCertificate();
      return `the certificate of the API server of ${name} is valid again`;
  }
}

async function toPrometheus(
  { name, prometheus }: LabCluster,
  { kind }: PrometheusFault,
): Promise<string> {
  if (prometheus === null) throw new Error(`${name} has no Prometheus: open the lab with one`);
  switch (kind) {
    case 'killPrometheus':
      await prometheus.kill();
      return `the Prometheus of ${name} is down`;
    case 'restorePrometheus':
      await prometheus.start();
      return `the Prometheus of ${name} answers, with what it had stored`;
  }
}
