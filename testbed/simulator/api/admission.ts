import type { ApiRefusal, DraftObject, StoredObject } from '../model.js';
import { objectAt, textAt, type JsonObject } from '../../base/json.js';
import {
  badRequest,
  invalid,
  plainError,
  type FieldError,
  type InvalidSubject,
} from '../store/refusals.js';
import { apiVersionOf } from '../store/resources.js';
import type { ResourceRoute } from './route.js';
import { changeErrors } from './validation/changes.js';
import { metadataChangeErrors, metadataErrors, nameErrors } from './validation/valid-metadata.js';
import { contentErrors } from './validation/valid-objects.js';

export type Admitted =
  | { readonly ok: true; readonly draft: DraftObject }
  | { readonly ok: false; readonly refused: ApiRefusal };

/** Fills in name, namespace, kind and version from the route; refuses an object that contradicts it. */
export function place(route: ResourceRoute, object: JsonObject): Admitted {
  const refused = elsewhere(route, object) ?? versionless(object);
  return refused === null ? { ok: true, draft: asDraft(route, object) } : { ok: false, refused };
}

/** The refusal when the object names another place or name than the path. */
function elsewhere({ namespace, name }: ResourceRoute, object: JsonObject): ApiRefusal | null {
  const saidName = textAt(object, 'metadata', 'name');
  if (name !== undefined && saidName !== '' && saidName !== name) {
    return badRequest(
      `the name of the object (${saidName}) does not match the name on the URL (${name})`,
    );
  }
  const saidNamespace = textAt(object, 'metadata', 'namespace');
  // The server clears the namespace of a cluster-scoped object (rest.EnsureObjectNamespaceMatchesRequestNamespace).
  if (namespace === undefined || saidNamespace === '' || saidNamespace === namespace) return null;
  return badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  );
}

function versionless(object: JsonObject): ApiRefusal | null {
  const version = textAt(object, 'metadata', 'resourceVersion');
  if (/^\d*$/.test(version)) return null;
  return plainError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
}

function asDraft(route: ResourceRoute, object: JsonObject): DraftObject {
  const { entry, namespace } = route;
  const name = route.name ?? textAt(object, 'metadata', 'name');
  const metadata = {
    // Parsing boundary: decoding has already checked the types of every member read from it.
    ...(objectAt(object, 'metadata') as Partial<DraftObject['metadata']>),
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  return { ...object, apiVersion: apiVersionOf(entry), kind: entry.kind, metadata };
}

/** Validates a new object; null when it is valid. */
export function refusedNew(route: ResourceRoute, draft: DraftObject): ApiRefusal | null {
  const { name } = draft.metadata;
  const rule = route.entry.group === 'rbac.authorization.k8s.io' ? 'pathSegment' : 'subdomain';
  return refused(subjectOf(route, name), [
    ...nameErrors(name, rule),
    ...metadataErrors(draft),
    ...contentErrors(draft),
  ]);
}

/** Validates a change; for the status subresource only the metadata is validated. */
export function refusedNext(
  route: ResourceRoute,
  before: StoredObject,
  after: DraftObject,
): ApiRefusal | null {
  const rest =
    route.subresource === 'status' ? [] : [...contentErrors(after), ...changeErrors(before, after)];
  const subject = subjectOf(route, before.metadata.name);
  return refused(subject, [...metadataChangeErrors(before, after), ...rest]);
}

function refused(subject: InvalidSubject, errors: readonly FieldError[]): ApiRefusal | null {
  return errors.length === 0 ? null : invalid(subject, errors);
}

function subjectOf({ entry }: ResourceRoute, name: string): InvalidSubject {
  return { kind: entry.kind, group: entry.group, name };
}
