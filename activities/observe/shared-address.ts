import type { Tristate } from '../../domain/vocabulary.js';
import { failureTypeOf } from '../failures.js';
import type { CallOptions, ClusterPorts } from '../ports.js';
import type { NodeObject } from './objects.js';
import { CONTROL_PLANE_LABEL } from './objects.js';
import { nameOf } from './read-quick.js';

/** Kubeconfig of the KCM in kubeadm's layout. */
const MANAGER_KUBECONFIG = '/etc/kubernetes/controller-manager.conf';

/**
 * Whether the managers reach the API servers through one address (then a manager may meet the oldest of them): from
 * the `server` of each node's own kubeconfig. The file also holds a client key; nothing but the address is kept.
 */
export async function readSharedAddress(
  ports: ClusterPorts,
  options: CallOptions,
): Promise<Tristate> {
  const { items } = await ports.api.list<NodeObject>(
    { apiVersion: 'v1', kind: 'Node' },
    { ...options, labelSelector: CONTROL_PLANE_LABEL },
  );
  const own = await Promise.all(items.map((node) => reachesItself(ports, node, options)));
  if (own.length === 0 || own.includes('unknown')) return 'unknown';
  return own.every((answer) => answer === 'yes') ? 'no' : 'yes';
}

async function reachesItself(
  { files }: ClusterPorts,
  node: NodeObject,
  options: CallOptions,
): Promise<Tristate> {
  try {
    const file = await files.read(nameOf(node), MANAGER_KUBECONFIG, options);
    const server = /\bserver:\s*["']?(https:\/\/[^\s"',}]+)/.exec(file?.content ?? '')?.[1];
    return server === undefined ? 'unknown' : isOwnServer(new URL(server).hostname, node);
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Unreachable' || type === 'Timeout') return 'unknown';
    throw error;
  }
}

/** Loopback, the node's own name, or one of its addresses. */
export function isOwnServer(host: string, node: NodeObject): Tristate {
  const name = nameOf(node);
  const addresses = (node.status?.addresses ?? []).map(({ address }) => address);
  const own =
    ['localhost', '127.0.0.1', '[::1]', name, ...addresses].includes(host) ||
    host.startsWith(`${name}.`);
  return own ? 'yes' : 'no';
}
