import { failureTypeOf } from '../failures.js';
import { KUBELET_FLAGS } from '../node-paths.js';
import type { CallOptions, ClusterPorts } from '../ports.js';
import type { KubeletProvider } from './inventory.js';
import { kubeletCloudProvider } from './kubelet-flags.js';
import type { NodeObject } from './objects.js';
import { CONTROL_PLANE_LABEL } from './objects.js';
import { nameOf } from './objects.js';

/** Workers asked at once. */
const WIDTH = 16;

/** The workers' cloud provider from their kubelets' flags; workers that node access does not reach are left out. */
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
  { files }: ClusterPorts,
  name: string,
  options: CallOptions,
): Promise<KubeletProvider> {
  try {
    const file = await files.read(name, KUBELET_FLAGS, options);
    return file === null
      ? 'unknown'
      : kubeletCloudProvider({ kind: 'text', text: file.content, hash: file.hash });
  } catch (error) {
    const type = failureTypeOf(error);
    // Not served for workers, or not reached: their Nodes must tell.
    if (type === 'Unreachable' || type === 'Timeout' || type === 'NotSupported') return 'unknown';
    if (type === 'Conflict') return 'unknown';
    throw error;
  }
}
