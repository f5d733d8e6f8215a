import type { Tristate } from '../../domain/vocabulary.js';
import { failureTypeOf } from '../failures.js';
import type { CallOptions, ClusterPorts } from '../ports.js';
import type { NodeObject } from './objects.js';
import { nameOf } from './objects.js';

/** Kubeconfig of the KCM in kubeadm's layout. */
const MANAGER_KUBECONFIG = '/etc/kubernetes/controller-manager.conf';

/** Whether the manager of each node reaches the API server of its own node; by Node name. */
export type OwnAddresses = ReadonlyMap<string, Tristate>;

/**
 * Reads it for the nodes that are not known yet, from the `server` of each node's own kubeconfig. The file also holds
 * a client key; nothing but the address is kept.
 */
export async function readOwnAddresses(
  ports: ClusterPorts,
  nodes: readonly NodeObject[],
  known: OwnAddresses,
  options: CallOptions,
): Promise<OwnAddresses> {
  const answers = await Promise.all(
    nodes.map(async (node): Promise<readonly [string, Tristate]> => {
      const before = known.get(nameOf(node)) ?? 'unknown';
      const answer = before === 'unknown' ? await reachesItself(ports, node, options) : before;
      return [nameOf(node), answer];
    }),
  );
  return new Map(answers);
}

/** Behind a shared address a manager may reach the oldest API server. */
export function sharedAddressOf(own: OwnAddresses): Tristate {
  const answers = [...own.values()];
  if (answers.length === 0 || answers.includes('unknown')) return 'unknown';
  return answers.every((answer) => answer === 'yes') ? 'no' : 'yes';
}

async function reachesItself(
  { files }: ClusterPorts,
  node: NodeObject,
  options: CallOptions,
): Promise<Tristate> {
  try {
    const file = await files.read(nameOf(node), MANAGER_KUBECONFIG, options);
    const host = serverHost(file?.content ?? '');
    return host === null ? 'unknown' : isOwnServer(host, node);
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Unreachable' || type === 'Timeout') return 'unknown';
    throw error;
  }
}

/** Host of a kubeconfig's `server`; null where there is none. */
export function serverHost(kubeconfig: string): string | null {
  const server = /\bserver:\s*["']?(https:\/\/[^\s"',}]+)/.exec(kubeconfig)?.[1];
  return server === undefined || !URL.canParse(server) ? null : new URL(server).hostname;
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
