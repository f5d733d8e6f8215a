import { listAt, textAt } from '../../base/json.js';

/** Whether a Node object has condition Ready. */
export function isReadyNode(node: unknown): boolean {
  return listAt(node, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );
}

/** Holder of a Lease; empty when it has none. */
export function leaseHolder(lease: unknown): string {
  return textAt(lease, 'spec', 'holderIdentity');
}
