import { listAt, objectAt, textAt, valueAt } from '../../base/json.js';
import type { StoredObject } from '../model.js';

export const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** Status of the Ready condition: `True`, `False` or `Unknown`; empty when the condition is missing. */
export function readyStatus(node: StoredObject): string {
  const conditions = listAt(node, 'status', 'conditions');
  const ready = conditions.find((each) => valueAt(each, 'type') === 'Ready');
  return textAt(ready, 'status');
}

export function taintsOf(node: StoredObject): readonly Readonly<Record<string, unknown>>[] {
  return listAt(node, 'spec', 'taints').map((taint) => objectAt(taint));
}

export function isUninitialized(node: StoredObject): boolean {
  return taintsOf(node).some((taint) => taint['key'] === UNINITIALIZED_TAINT);
}

export function providerIdOf(node: StoredObject): string {
  return textAt(node, 'spec', 'providerID');
}

export function podCidrOf(node: StoredObject): string {
  return textAt(node, 'spec', 'podCIDR');
}
