import { failureTypeOf } from '../failures.js';
import { KUBELET_FLAGS } from '../node-paths.js';
import type { CallOptions, ClusterPorts } from '../ports.js';
import { settledProvider, type KubeletProvider } from './kubelet-flags.js';
import type { NodeObject } from './objects.js';
import { CONTROL_PLANE_LABEL } from './objects.js';
import { nameOf } from './objects.js';

/** Workers queried in parallel. */
const WIDTH = 16;

/** The workers' cloud provider as their kubelets run with it; unknown where node access does not reach one. */
export async function readKubelets(
  ports: ClusterPorts,
  nodes: readonly NodeObject[],
  options: CallOptions,
): Promise<ReadonlyMap<string, KubeletProvider>> {
  const workers = nodes.filter(
    ({ metadata }) => metadata?.labels?.[CONTROL_PLANE_LABEL] === undefined,
  );
  const found = new Map<string, KubeletProvider>();
  for (let start = 0; start < workers.length; start += WIDTH) {
    const batch = workers.slice(start, start + WIDTH).map(nameOf);
    const providers = await Promise.all(batch.map((name) => readOne(ports, name, options)));
    batch.forEach((name, index) => found.set(name, providers[index] ?? 'unknown'));
  }
  return found;
}

async function readOne(
  { processes }: ClusterPorts,
  name: string,
  options: CallOptions,
): Promise<KubeletProvider> {
  try {
    const wish = { files: [KUBELET_FLAGS], directories: [] };
    const { host, files } = await processes.snapshot(name, wish, options);
    return settledProvider(host.kubelets, files.get(KUBELET_FLAGS) ?? null);
  } catch (error) {
    // Not served for workers, or not reached.
    if (NOT_THERE.includes(failureTypeOf(error) ?? '')) return 'unknown';
    throw error;
  }
}

const NOT_THERE = ['Unreachable', 'Timeout', 'NotSupported', 'Conflict'];
