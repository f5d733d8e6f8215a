import { fieldAt, fieldsOf, listOf, textOf } from '../../base/fields.js';
import type { StoredObject } from '../model.js';

export const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** Status of the Ready condition: `True`, `False` or `Unknown`; empty when the condition is missing. */
export function readyStatus(node: StoredObject): string {
  const conditions = listOf(fieldAt(node, 'status', 'conditions'));
  const ready = conditions.find((each) => fieldAt(each, 'type') === 'Ready');
  return textOf(fieldAt(ready, 'status'));
}

export function taintsOf(node: StoredObject): readonly Readonly<Record<string, unknown>>[] {
  return listOf(fieldAt(node, 'spec', 'taints')).map(fieldsOf);
}

export function isUninitialized(node: StoredObject): boolean {
  return taintsOf(node).some((taint) => taint['key'] === UNINITIALIZED_TAINT);
}

export function providerIdOf(node: StoredObject): string {
  return textOf(fieldAt(node, 'spec', 'providerID'));
}

export function podCidrOf(node: StoredObject): string {
  return textOf(fieldAt(node, 'spec', 'podCIDR'));
}
