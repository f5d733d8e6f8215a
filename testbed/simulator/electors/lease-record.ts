import { numberOf, textAt, valueAt } from '../../base/json.js';
import type { DraftObject, StoredObject } from '../model.js';

/** The part of a Lease that electors compare. */
export interface LeaseRecord {
  readonly holder: string;
  readonly durationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  readonly transitions: number;
}

export function recordOf(lease: StoredObject): LeaseRecord {
  return {
    holder: textAt(lease, 'spec', 'holderIdentity'),
    durationSeconds: numberOf(valueAt(lease, 'spec', 'leaseDurationSeconds')),
    acquireTime: textAt(lease, 'spec', 'acquireTime'),
    renewTime: textAt(lease, 'spec', 'renewTime'),
    transitions: numberOf(valueAt(lease, 'spec', 'leaseTransitions')),
  };
}

export function sameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.renewTime === b.renewTime &&
    a.holder === b.holder &&
    a.transitions === b.transitions &&
    a.acquireTime === b.acquireTime &&
    a.durationSeconds === b.durationSeconds
  );
}

/** A Lease object to write; everything but the record is taken from `current`. */
export function leaseWith(
  lock: { readonly namespace: string; readonly name: string },
  record: LeaseRecord,
  current?: StoredObject,
): DraftObject {
  return {
    ...(current ?? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }),
    metadata: current?.metadata ?? { namespace: lock.namespace, name: lock.name },
    spec: {
      holderIdentity: record.holder,
      leaseDurationSeconds: record.durationSeconds,
      acquireTime: record.acquireTime,
      renewTime: record.renewTime,
      leaseTransitions: record.transitions,
    },
  };
}

/** Kubernetes MicroTime. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
