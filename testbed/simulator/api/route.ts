import { apiVersionOf, resourceKind, RESOURCES, type ResourceKind } from '../store/resources.js';

/** What a path of the resource API identifies. */
export interface ResourceRoute {
  readonly entry: ResourceKind;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** `/api/v1/…` and `/apis/<group>/<version>/…`, split after the version; null for any other path. */
function groupAndRest(path: string): { groupVersion: string; rest: readonly string[] } | null {
  const segments = path.split('/').filter((segment) => segment !== '');
  const [root, first = '', second = '', ...others] = segments.map(decode);
  if (root === 'api' && first === 'v1') {
    return { groupVersion: 'v1', rest: second === '' ? [] : [second, ...others] };
  }
  if (root === 'apis' && second !== '') {
    return { groupVersion: `${first}/${second}`, rest: others };
  }
  return null;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Splits `namespaces/<namespace>/<resource>…`; `namespaces/<name>[/status]` is the namespace itself. */
function withoutNamespace(rest: readonly string[]): {
  namespace?: string;
  rest: readonly string[];
} {
  const [first, namespace, third, ...others] = rest;
  if (first !== 'namespaces' || namespace === undefined || third === undefined) return { rest };
  if (third === 'status' || third === 'finalize') return { rest };
  return { namespace, rest: [third, ...others] };
}

/** The route of a path; null when this server serves nothing there. */
export function resourceRoute(path: string): ResourceRoute | null {
  const found = groupAndRest(path);
  if (found === null) return null;
  const { namespace, rest } = withoutNamespace(found.rest);
  const [resource = '', name, subresource, ...beyond] = rest;
  const entry = resourceKind(resource);
  if (entry === undefined || beyond.length > 0) return null;
  if (apiVersionOf(entry) !== found.groupVersion || !fitsScope(entry, namespace, name)) return null;
  return {
    entry,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

/** Cluster-scoped kinds have no namespace; a single object of any other kind always has one. */
function fitsScope(entry: ResourceKind, namespace?: string, name?: string): boolean {
  return entry.namespaced ? namespace !== undefined || name === undefined : namespace === undefined;
}

/** A path with the form of a resource path, whether or not the resource is served. */
export function foreignRoute(
  path: string,
): { group: string; resource: string; namespace?: string; name?: string } | null {
  const found = groupAndRest(path);
  if (found === null) return null;
  const { namespace, rest } = withoutNamespace(found.rest);
  const [resource, name] = rest;
  if (resource === undefined) return null;
  const [group = ''] = found.groupVersion === 'v1' ? [''] : found.groupVersion.split('/');
  return {
    ...{ group, resource },
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}

/** Whether the API group in a path is served at all. */
export function isKnownGroup(path: string): boolean {
  const groupVersion = groupAndRest(path)?.groupVersion;
  return RESOURCES.some((entry) => apiVersionOf(entry) === groupVersion);
}

/** The access review requested by a path after `/apis/authorization.k8s.io/v1`. */
export function reviewRoute(path: string): { resource: string; namespace?: string } | null {
  const found = groupAndRest(path);
  if (found?.groupVersion !== 'authorization.k8s.io/v1') return null;
  const { namespace, rest } = withoutNamespace(found.rest);
  const [resource, ...beyond] = rest;
  if (resource === undefined || beyond.length > 0) return null;
  return { resource, ...(namespace === undefined ? {} : { namespace }) };
}

const WRITE_VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
};

/** Verb as RequestInfo names it (apiserver/pkg/endpoints/request/requestinfo.go). */
export function verbOf(method: string, query: URLSearchParams, name: string | undefined): string {
  if (method === 'GET' || method === 'HEAD') {
    if (name !== undefined) return 'get';
    return isWatch(query) ? 'watch' : 'list';
  }
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete';
  return WRITE_VERBS[method] ?? method.toLowerCase();
}

function isWatch(query: URLSearchParams): boolean {
  return ['true', '1'].includes(query.get('watch') ?? '');
}

export function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}
