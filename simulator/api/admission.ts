import type { ApiRefusal, DraftObject } from '../model.js';
import { isObject, listAt, objectAt, textAt, valueAt, type JsonObject } from '../store/json.js';
import { badRequest, invalid } from '../store/refusals.js';
import { apiVersionOf } from '../store/resources.js';
import type { ResourceRoute } from './route.js';

export type Admitted =
  | { readonly ok: true; readonly draft: DraftObject }
  | { readonly ok: false; readonly refused: ApiRefusal };

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
/** Roles and bindings are named by path segment rules: `system:node` is a fine name there. */
const PATH_SEGMENT = /^(?!\.{1,2}$)[^/%]+$/;
const MAP_MEMBERS = ['labels', 'annotations'] as const;

/** Checks an object against its route, as decoding and validation in the API server do. */
export function admit(route: ResourceRoute, object: JsonObject): Admitted {
  const refused =
    misplaced(route, object) ?? misshapen(object) ?? misnamed(route, object) ?? unsound(object);
  if (refused !== null) return { ok: false, refused };
  return { ok: true, draft: asDraft(route, object) };
}

function misplaced(route: ResourceRoute, object: JsonObject): ApiRefusal | null {
  const apiVersion = apiVersionOf(route.entry);
  const given = textAt(object, 'apiVersion');
  if (given !== '' && given !== apiVersion) {
    return badRequest(
      `the API version in the data (${given}) does not match the expected API version (${apiVersion})`,
    );
  }
  const kind = textAt(object, 'kind');
  if (kind !== '' && kind !== route.entry.kind) {
    return badRequest(
      `${kind} in version "${apiVersion}" cannot be handled as a ${route.entry.kind}`,
    );
  }
  return elsewhere(route, object);
}

/** Whether the object says another place or name than the path. */
function elsewhere({ namespace, name }: ResourceRoute, object: JsonObject): ApiRefusal | null {
  const saidNamespace = textAt(object, 'metadata', 'namespace');
  if (saidNamespace !== '' && saidNamespace !== (namespace ?? '')) {
    return badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  const saidName = textAt(object, 'metadata', 'name');
  if (name === undefined || saidName === '' || saidName === name) return null;
  return badRequest(
    `the name of the object (${saidName}) does not match the name on the URL (${name})`,
  );
}

function misshapen(object: JsonObject): ApiRefusal | null {
  const metadata = objectAt(object, 'metadata');
  for (const member of MAP_MEMBERS) {
    const map = metadata[member] ?? {};
    if (!isObject(map) || Object.values(map).some((value) => typeof value !== 'string')) {
      return badRequest(`json: cannot unmarshal metadata.${member}: values must be strings`);
    }
  }
  const finalizers = metadata['finalizers'] ?? [];
  const isTexts =
    Array.isArray(finalizers) && finalizers.every((item: unknown) => typeof item === 'string');
  return isTexts ? null : badRequest('json: cannot unmarshal metadata.finalizers: not strings');
}

function misnamed(route: ResourceRoute, object: JsonObject): ApiRefusal | null {
  const name = route.name ?? textAt(object, 'metadata', 'name');
  const { kind, group } = route.entry;
  if (name === '') {
    return invalid(kind, '', 'metadata.name: Required value: name or generateName is required');
  }
  const pattern = group === 'rbac.authorization.k8s.io' ? PATH_SEGMENT : SUBDOMAIN;
  if (name.length <= 253 && pattern.test(name)) return null;
  return invalid(kind, name, `metadata.name: Invalid value: "${name}": not a valid name`);
}

/** The rules of validation that this product could meet. */
function unsound(object: JsonObject): ApiRefusal | null {
  const kind = textAt(object, 'kind');
  const name = textAt(object, 'metadata', 'name');
  const seconds = valueAt(object, 'spec', 'leaseDurationSeconds');
  if (kind === 'Lease' && typeof seconds === 'number' && seconds <= 0) {
    const why = `spec.leaseDurationSeconds: Invalid value: ${seconds}: must be greater than 0`;
    return invalid(kind, name, why);
  }
  const isBinding = kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
  if (isBinding && textAt(object, 'roleRef', 'name') === '') {
    return invalid(kind, name, 'roleRef.name: Required value');
  }
  const needsSelector = kind === 'DaemonSet' || kind === 'Deployment';
  if (needsSelector && valueAt(object, 'spec', 'selector') === undefined) {
    return invalid(kind, name, 'spec.selector: Required value');
  }
  return null;
}

function asDraft(route: ResourceRoute, object: JsonObject): DraftObject {
  const { entry, namespace } = route;
  const name = route.name ?? textAt(object, 'metadata', 'name');
  const metadata = {
    // Parsing edge: misshapen() has checked what is read of it.
    ...(objectAt(object, 'metadata') as Partial<DraftObject['metadata']>),
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  return { ...object, apiVersion: apiVersionOf(entry), kind: entry.kind, metadata };
}

/** What may never change once written; 422 as validation of updates has it. */
export function immutableChange(before: JsonObject, after: JsonObject): ApiRefusal | null {
  const kind = textAt(before, 'kind');
  const name = textAt(before, 'metadata', 'name');
  const same = (...path: readonly string[]): boolean =>
    JSON.stringify(valueAt(before, ...path)) === JSON.stringify(valueAt(after, ...path));
  if ((kind === 'RoleBinding' || kind === 'ClusterRoleBinding') && !same('roleRef')) {
    return invalid(kind, name, 'roleRef: Invalid value: cannot change roleRef');
  }
  if ((kind === 'DaemonSet' || kind === 'Deployment') && !same('spec', 'selector')) {
    return invalid(kind, name, 'spec.selector: Invalid value: field is immutable');
  }
  if (
    kind === 'Pod' &&
    listAt(before, 'spec', 'containers').length > 0 &&
    !sameContainers(before, after)
  ) {
    return invalid(
      kind,
      name,
      'spec: Forbidden: pod updates may not change fields other than images',
    );
  }
  return null;
}

function sameContainers(before: JsonObject, after: JsonObject): boolean {
  const shape = (pod: JsonObject): string =>
    JSON.stringify(
      listAt(pod, 'spec', 'containers').map((container) => [
        textAt(container, 'name'),
        valueAt(container, 'command'),
        valueAt(container, 'args'),
      ]),
    );
  return shape(before) === shape(after);
}
