import type { DraftObject, ObjectMetadata, StoredObject } from '../model.js';
import { isDeepStrictEqual } from 'node:util';
import type { ResourceKind } from './resources.js';

/** Kubernetes writes times in UTC with whole seconds. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
}

/** The members of metadata that clients own; the server owns the rest. */
function clientOwned(metadata: DraftObject['metadata']): Partial<ObjectMetadata> {
  const { labels, annotations, finalizers, ownerReferences, managedFields } = metadata;
  return {
    ...(isEmpty(labels) ? {} : { labels }),
    ...(isEmpty(annotations) ? {} : { annotations }),
    ...(isEmpty(finalizers) ? {} : { finalizers }),
    ...(isEmpty(ownerReferences) ? {} : { ownerReferences }),
    ...(isEmpty(managedFields) ? {} : { managedFields }),
  };
}

function isEmpty(value: object | undefined): value is undefined {
  return value === undefined || Object.keys(value).length === 0;
}

export interface Stamp {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly nowMs: number;
}

/** A draft as it is stored for the first time. */
export function firstVersion(entry: ResourceKind, draft: DraftObject, stamp: Stamp): StoredObject {
  const { namespace } = draft.metadata;
  return {
    ...draft,
    metadata: {
      name: draft.metadata.name,
      ...(entry.namespaced && namespace !== undefined ? { namespace } : {}),
      uid: stamp.uid,
      resourceVersion: stamp.resourceVersion,
      creationTimestamp: timestamp(stamp.nowMs),
      ...(entry.generation ? { generation: 1 } : {}),
      ...clientOwned(draft.metadata),
    },
  };
}

/** A draft as the next version of an object: what the server owns is kept. */
export function nextVersion(
  entry: ResourceKind,
  current: StoredObject,
  draft: DraftObject,
  resourceVersion: string,
): StoredObject {
  const { name, namespace, uid, creationTimestamp, deletionTimestamp } = current.metadata;
  const grace = current.metadata.deletionGracePeriodSeconds;
  return {
    ...draft,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
      ...(entry.generation ? { generation: nextGeneration(current, draft) } : {}),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(grace === undefined ? {} : { deletionGracePeriodSeconds: grace }),
      ...clientOwned({ managedFields: current.metadata.managedFields ?? [], ...draft.metadata }),
    },
  };
}

function nextGeneration(current: StoredObject, draft: DraftObject): number {
  const changed = !isDeepStrictEqual(current['spec'], draft['spec']);
  return (current.metadata.generation ?? 1) + (changed ? 1 : 0);
}

/** Sorts as etcd does: by namespace, then by name. */
export function keyOf({ metadata }: Pick<StoredObject, 'metadata'>): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

export function atVersion(object: StoredObject, resourceVersion: string): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

/** Whether two versions differ in the version alone: such a write is a no-op. */
export function sameContent(a: StoredObject, b: StoredObject): boolean {
  return isDeepStrictEqual(withoutVersion(a), withoutVersion(b));
}

function withoutVersion(object: StoredObject): unknown {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
}
