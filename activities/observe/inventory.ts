import type { LoadBalancer } from '../../domain/load-balancers.js';
import type { Inventory } from '../../domain/observation.js';
import type { KubeletProvider } from './kubelet-flags.js';
import type { NodeObject, VolumeObject } from './objects.js';
import { CONTROL_PLANE_LABEL } from './objects.js';
import { nameOf } from './objects.js';
import { conditionOf } from './read-quick.js';
import { digestRows } from './digest-rows.js';
import { ingressDigest } from './load-balancers.js';

/** Whole lists of what grows with the cluster; they never leave the worker. */
export interface InventoryReading {
  readonly nodes: readonly NodeObject[];
  readonly loadBalancers: readonly LoadBalancer[];
  readonly volumes: readonly VolumeObject[];
  /** Kubelets' cloud provider by worker, as they run; empty where they were not queried. */
  readonly kubelets: ReadonlyMap<string, KubeletProvider>;
}

const MAX_EXCEPTIONS = 5;
const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/**
 * PersistentVolume sources that only an in-tree volume plugin or its CSI migration serves.
 * Source: kubernetes/csi-translation-lib plugins/
 */
const IN_TREE_VOLUMES = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cinder',
  'gcePersistentDisk',
  'portworxVolume',
  'vsphereVolume',
];

/** Counts, digests and first exceptions of what grows with the cluster. */
export function summarizeInventory({
  nodes,
  loadBalancers,
  volumes,
  kubelets,
}: InventoryReading): Inventory {
  const workers = nodes.filter(
    (node) => node.metadata?.labels?.[CONTROL_PLANE_LABEL] === undefined,
  );
  const pending = loadBalancers.filter((one) => one.leaving || one.addresses.length === 0);
  const withoutId = nodes.filter(({ spec }) => (spec?.providerID ?? '') === '');
  const providers = workers.map((node) => providerOf(node, kubelets.get(nameOf(node))));
  return {
    workers: {
      total: workers.length,
      ready: workers.filter((node) => conditionOf(node.status?.conditions, 'Ready') === 'yes')
        .length,
      kubeletInTree: providers.filter((one) => one === 'inTree' || one === 'none').length,
      kubeletExternal: providers.filter((one) => one === 'external').length,
      uninitialized: nodes.filter(isUninitialized).length,
    },
    services: {
      loadBalancers: loadBalancers.length,
      pending: pending.length,
      ingressDigest: ingressDigest(loadBalancers),
    },
    nodes: {
      total: nodes.length,
      withoutProviderId: withoutId.length,
      digest: nodesDigest(workers),
    },
    persistentVolumes: { inTree: volumes.filter(isInTree).length },
    exceptions: [
      ...pending.slice(0, MAX_EXCEPTIONS).map(whatItWaitsFor),
      ...withoutId.slice(0, MAX_EXCEPTIONS).map((node) => `Node ${nameOf(node)} has no providerID`),
    ],
  };
}

function whatItWaitsFor({ key, leaving }: LoadBalancer): string {
  return `Service ${key} ${leaving ? 'waits for its deletion' : 'has no address'}`;
}

/** Workers only: control-plane nodes are replaced on purpose. */
function nodesDigest(workers: readonly NodeObject[]): string {
  return digestRows(
    workers.map((node) => [nameOf(node), node.spec?.providerID ?? '', node.spec?.podCIDR ?? '']),
  );
}

/**
 * The kubelet's own process shows it. Where it was not queried: only a kubelet with --cloud-provider=external registers with
 * the taint. Annotation provided-node-ip proves nothing, because in-tree kubelets with --node-ip write it too.
 * Source: kubernetes/kubernetes pkg/kubelet/kubelet_node_status.go, nodestatus/setters.go.
 */
function providerOf(node: NodeObject, provider: KubeletProvider | undefined): KubeletProvider {
  if (provider !== undefined) return provider;
  return isUninitialized(node) ? 'external' : 'unknown';
}

function isUninitialized(node: NodeObject): boolean {
  return (node.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED);
}

function isInTree({ spec }: VolumeObject): boolean {
  return IN_TREE_VOLUMES.some((source) => spec?.[source] !== undefined);
}
