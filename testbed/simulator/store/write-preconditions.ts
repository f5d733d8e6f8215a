import type { ApiRefusal, ResourceRef, StoredObject } from '../model.js';
import { deletePrecondition, modified, otherUid } from './refusals.js';

interface Wanted {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Null when an update may proceed. An empty member is not a precondition. */
export function updatePrecondition(
  ref: ResourceRef,
  { metadata }: StoredObject,
  { uid = '', resourceVersion = '' }: Wanted,
): ApiRefusal | null {
  if (uid !== '' && uid !== metadata.uid) return otherUid(ref, uid, metadata.uid);
  const isOther = resourceVersion !== '' && resourceVersion !== metadata.resourceVersion;
  return isOther ? modified(ref) : null;
}

/** With the texts of apiserver registry/rest/delete.go `BeforeDelete`. */
export function removalPrecondition(
  ref: ResourceRef,
  { metadata }: StoredObject,
  { uid = metadata.uid, resourceVersion = metadata.resourceVersion }: Wanted,
): ApiRefusal | null {
  const differs = (what: string, wanted: string, present: string): string =>
    `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${present}). `;
  if (uid !== metadata.uid) {
    const why = `${differs('UID', uid, metadata.uid)}The object might have been deleted and then recreated`;
    return deletePrecondition(ref.resource, ref.name, why);
  }
  if (resourceVersion === metadata.resourceVersion) return null;
  const versions = differs('ResourceVersion', resourceVersion, metadata.resourceVersion);
  return deletePrecondition(
    ref.resource,
    ref.name,
    `${versions}The object might have been modified`,
  );
}
