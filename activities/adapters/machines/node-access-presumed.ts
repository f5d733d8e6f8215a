import { digestText } from '../../../domain/digest.js';
import { COMPONENTS } from '../../../domain/managers/controller-names.js';
import type { Manager } from '../../../domain/vocabulary.js';
import { MANAGERS } from '../../../domain/vocabulary.js';
import { yamlText } from '../../../domain/yaml/yaml-edit.js';
import { failure } from '../../failures.js';
import { manifestPath } from '../../node-paths.js';
import type {
  ApiObject,
  CallOptions,
  ClusterPorts,
  HostProcess,
  KubernetesApi,
  NodeFile,
  NodeSnapshot,
  NodeRequest,
} from '../../ports.js';

/** What the API server alone cannot show about a control-plane node. */
export const NOT_LOOKED_AT: readonly string[] = [
  'static Pod manifests and Leader Migration files on the nodes',
  'processes of the managers (/proc) and their metrics',
  'flags of the kubelets, cloud configurations, hostnames',
];

interface ManagerPod extends ApiObject {
  readonly metadata?: ApiObject['metadata'] & {
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly {
      readonly command?: readonly string[];
      readonly args?: readonly string[];
    }[];
  };
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly state?: { readonly running?: { readonly startedAt?: string } };
    }[];
  };
}

/**
 * Node access for a preview: what a node would most likely answer, inferred from the Pods that its kubelet reports. A mirror
 * Pod is no proof of what runs (a deleted one is recreated, and an unreachable kubelet reports nothing), so no run may act on
 * this.
 * Source: pkg/kubelet/pod/mirror_client.go; `spec` is that of the static Pod with the defaults of the API server.
 */
export function presumedNodeAccess(
  cluster: string,
  api: KubernetesApi,
): Pick<ClusterPorts, 'files' | 'processes' | 'kubelets'> {
  const refusing = withoutNodeAccess(cluster);
  const podsOf = async (node: string, options?: CallOptions): Promise<readonly ManagerPod[]> => {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'kube-system' };
    const labelSelector = `component in (${MANAGERS.map((manager) => COMPONENTS[manager]).join(',')})`;
    const { items } = await api.list<ManagerPod>(ref, { ...options, labelSelector });
    return items.filter(({ spec }) => spec?.nodeName === node);
  };
  return {
    ...refusing,
    files: {
      ...refusing.files,
      read: async (node, path, options) => fileAt(path, await podsOf(node, options)),
    },
    processes: {
      ...refusing.processes,
      snapshot: async (node, wanted, options) =>
        snapshotOf(node, wanted, await podsOf(node, options)),
    },
  };
}

function snapshotOf(
  node: string,
  { files }: NodeRequest,
  pods: readonly ManagerPod[],
): NodeSnapshot {
  return {
    host: {
      // A guess: in some clouds the hostname differs from the Node name.
      ...{ hostname: node, bootId: '', bootTimeMs: 0, nowMs: 0 },
      processes: pods.flatMap(processOf),
      kubelets: [],
    },
    files: new Map(files.map((path) => [path, fileAt(path, pods)])),
    directories: new Map(),
    elections: { kcm: null, ccm: null },
  };
}

function fileAt(path: string, pods: readonly ManagerPod[]): NodeFile | null {
  const pod = pods.find((each) => isMirror(each) && manifestPath(managerOf(each)) === path);
  if (pod === undefined) return null;
  const { name = '', namespace, labels } = pod.metadata ?? {};
  const { nodeName = '', ...spec } = pod.spec ?? {};
  const own = name.endsWith(`-${nodeName}`) ? name.slice(0, -nodeName.length - 1) : name;
  const metadata = { name: own, namespace, ...(labels === undefined ? {} : { labels }) };
  const content = yamlText({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  return { path, content, hash: digestText(content), mode: '0600', changedAtMs: 0 };
}

/** One that runs now, as last reported by its kubelet. */
function processOf(pod: ManagerPod): readonly HostProcess[] {
  const [container] = pod.spec?.containers ?? [];
  const startedAt = startOf(pod);
  if (startedAt === undefined || container === undefined) return [];
  const { command = [], args = [] } = container;
  return [
    {
      pid: 0,
      startTicks: null,
      manager: managerOf(pod),
      startedAtMs: Date.parse(startedAt),
      arguments: [...command, ...args],
      paused: false,
    },
  ];
}

function startOf({ status }: ManagerPod): string | undefined {
  return status?.containerStatuses?.[0]?.state?.running?.startedAt;
}

function isMirror({ metadata }: ManagerPod): boolean {
  return metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined;
}

function managerOf({ metadata }: ManagerPod): Manager {
  return metadata?.labels?.['component'] === COMPONENTS.ccm ? 'ccm' : 'kcm';
}

/** Ports of a cluster without node access in the inventory: calls that need a node report it, the rest works. */
export function withoutNodeAccess(
  cluster: string,
): Pick<ClusterPorts, 'files' | 'processes' | 'kubelets'> {
  const refuse = (): Promise<never> =>
    Promise.reject(
      failure(
        'NotSupported',
        `cluster ${cluster} has no node access: set nodeAccess in its inventory entry (check and plan work without)`,
      ),
    );
  return {
    files: { read: refuse, write: refuse, remove: refuse },
    processes: { snapshot: refuse, host: refuse, metrics: refuse, kill: refuse },
    kubelets: { unit: refuse, restart: refuse },
  };
}
