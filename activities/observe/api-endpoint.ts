import type { NodeObject } from './objects.js';
import { nameOf } from './objects.js';
import { isOwnServer } from './shared-address.js';

/** A control-plane node, and the hosts that its own kubeconfigs name as the API; null for one that could not be read. */
export interface SeenEndpoints {
  readonly node: NodeObject;
  readonly hosts: readonly (string | null)[];
}

/**
 * The control-plane node through which another one reaches the API; null when each uses its own address, or one that
 * belongs to no node. Undefined when a file could not be read and the others name no such node. Names are not resolved,
 * so a DNS name that points to a node is not recognised.
 */
export function endpointNode(seen: readonly SeenEndpoints[]): string | null | undefined {
  for (const { node, hosts } of seen) {
    for (const host of hosts) {
      // Loopback and a node's own name always lead to the node itself.
      if (host === null || isOwnServer(host, node) === 'yes') continue;
      const through = seen.find((other) => isOwnServer(host, other.node) === 'yes');
      if (through !== undefined) return nameOf(through.node);
    }
  }
  const isWhole = seen.length > 0 && seen.every(({ hosts }) => !hosts.includes(null));
  return isWhole ? null : undefined;
}
