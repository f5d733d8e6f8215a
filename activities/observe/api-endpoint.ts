import type { NodeObject } from './objects.js';
import { nameOf } from './objects.js';
import { isOwnServer } from './shared-address.js';

/** A control-plane node, and the hosts that its own kubeconfigs name as the API; null for one that could not be read. */
export interface SeenEndpoints {
  readonly node: NodeObject;
  readonly hosts: readonly (string | null)[];
}

/**
 * Control-plane node through which another one reaches the API; null where each uses its own, or an address that is no
 * node's. Undefined while a file is unread and the others tell of no such node. Names are not resolved: what a name of
 * a DNS name stands for is not known.
 */
export function endpointNode(seen: readonly SeenEndpoints[]): string | null | undefined {
  for (const { node, hosts } of seen) {
    for (const host of hosts) {
      // Loopback and a node's own name lead to itself wherever they stand.
      if (host === null || isOwnServer(host, node) === 'yes') continue;
      const through = seen.find((other) => isOwnServer(host, other.node) === 'yes');
      if (through !== undefined) return nameOf(through.node);
    }
  }
  const isWhole = seen.length > 0 && seen.every(({ hosts }) => !hosts.includes(null));
  return isWhole ? null : undefined;
}
