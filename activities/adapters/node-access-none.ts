import { failure } from '../failures.js';
import type { ClusterPorts } from '../ports.js';

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
    files: { list: refuse, read: refuse, write: refuse, remove: refuse },
    processes: { snapshot: refuse, host: refuse, metrics: refuse, kill: refuse },
    kubelets: { unit: refuse, restart: refuse },
  };
}
