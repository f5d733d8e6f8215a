import type { AccessQuestion } from '../model.js';
import { textAt } from '../../base/json.js';
import { selection } from '../store/selectors.js';
import { reviewAccess } from './review-answers.js';
import {
  badRequestAnswer,
  json,
  METHOD_NOT_ALLOWED,
  NO_SUCH_PATH,
  NOT_SERVED,
  statusAnswer,
} from '../../base/http/answers.js';
import { inNamespace, refusedAccess, type ApiContext, type ResourceRequest } from './context.js';
import { discover } from './discovery.js';
import { evictPod } from './evictions.js';
import { patchStored } from './patches.js';
import { listObjects, readStored } from './reads.js';
import type { ServedAnswer, RequestSummary, ClusterRequest } from '../../base/http/request.js';
import {
  foreignRoute,
  isDryRun,
  isKnownGroup,
  resourceRoute,
  reviewRoute,
  verbOf,
  type ResourceRoute,
} from './route.js';
import { watchObjects } from './watches.js';
import { deleteObject } from './removals.js';
import { jsonBody } from '../../base/http/json-body.js';
import { createObject, replaceObject } from './writes.js';

const MUTATING: ReadonlySet<string> = new Set([
  ...['create', 'update', 'patch', 'delete', 'deletecollection'],
]);
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set([
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease'],
]);

/** Classifies a request to the Kubernetes API. */
export function summarize({ method, path, query, body }: ClusterRequest): RequestSummary {
  const route = resourceRoute(path);
  if (route === null) {
    const review = reviewRoute(path);
    const verb = review === null ? 'get' : 'create';
    return { verb, resource: review?.resource ?? '', name: '', mutating: false };
  }
  const verb = verbOf(method, query, route.name);
  const subresource = route.subresource === undefined ? '' : `/${route.subresource}`;
  return {
    verb,
    resource: `${route.entry.resource}${subresource}`,
    name: route.name ?? (verb === 'create' ? nameIn(body) : ''),
    mutating: MUTATING.has(verb) && !isDryRun(query),
  };
}

/** A create names its object in the body only. */
function nameIn(body: string): string {
  return textAt(jsonBody(body), 'metadata', 'name');
}

/** Answers a request as the API server of the cluster would. */
export function answerKubernetes(context: ApiContext, request: ClusterRequest): ServedAnswer {
  const review = reviewRoute(request.path);
  if (review !== null) return reviewAccess(context, request, review);
  const route = resourceRoute(request.path);
  if (route === null) {
    return discover(request.path, context.cluster.apiServerVersion) ?? unserved(context, request);
  }
  const refused = refusedAccess(context.store, request, questionOf(request, route));
  return refused ?? answerResource(context, { ...request, route });
}

/** A path that nothing serves: a user without access to it gets the 403 before the 404. */
function unserved({ store }: ApiContext, request: ClusterRequest): ServedAnswer {
  const { requester, path, method, query } = request;
  const asked = foreignRoute(path);
  const what = asked ?? { group: '*', resource: '*' };
  const verb = asked === null ? '*' : verbOf(method, query, asked.name);
  if (store.authorize({ ...requester, ...what, verb }).allowed) {
    return isKnownGroup(path) ? NOT_SERVED : NO_SUCH_PATH;
  }
  if (asked !== null) return refusedAccess(store, request, { ...asked, verb }) ?? NO_SUCH_PATH;
  const message = `forbidden: User "${requester.user}" cannot ${method.toLowerCase()} path "${path}"`;
  return statusAnswer(403, 'Forbidden', message, {});
}

/** RequestInfo reads the name of a list or watch from its field selector. */
function questionOf(
  { method, query }: ClusterRequest,
  route: ResourceRoute,
): Omit<AccessQuestion, 'user' | 'groups'> {
  const { entry, namespace, subresource } = route;
  const [, selected] =
    /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get('fieldSelector') ?? '') ?? [];
  const name = route.name ?? (method === 'GET' ? selected : undefined);
  return {
    verb: verbOf(method, query, route.name),
    group: entry.group,
    resource: entry.resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
  };
}

type Route = (context: ApiContext, request: ResourceRequest) => ServedAnswer;

const OF_COLLECTION: Readonly<Record<string, Route>> = {
  list: listObjects,
  watch: watchObjects,
  create: createObject,
  deletecollection: deleteMatching,
};

const OF_OBJECT: Readonly<Record<string, Route>> = {
  get: readStored,
  update: replaceObject,
  patch: patchStored,
  delete: (context, request) => protectedNamespace(request) ?? deleteObject(context, request),
};

const OF_STATUS: Readonly<Record<string, Route>> = {
  get: readStored,
  update: replaceObject,
  patch: patchStored,
};

function answerResource(context: ApiContext, request: ResourceRequest): ServedAnswer {
  const { route, method, query } = request;
  const routes = routesOf(route);
  if (routes === null) return NOT_SERVED;
  if (!acceptsJson(request.accept)) return NOT_ACCEPTABLE;
  const answer = routes[verbOf(method, query, route.name)];
  return answer === undefined ? METHOD_NOT_ALLOWED : answer(context, request);
}

/** The real server also writes YAML and protobuf. */
function acceptsJson(accept: string): boolean {
  return accept === '' || /\*\/\*|application\/(\*|json)/.test(accept);
}

const WRITTEN = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMED = WRITTEN.filter((type) => type !== 'application/yaml').map(
  (type) => `${type};stream=watch`,
);
const NOT_ACCEPTABLE = statusAnswer(
  406,
  'NotAcceptable',
  `406: Not Acceptable\n\nAvailable representations: ${[...WRITTEN, ...STREAMED].join(', ')}`,
  {},
);

function routesOf({
  entry,
  name,
  subresource,
}: ResourceRoute): Readonly<Record<string, Route>> | null {
  if (subresource === undefined) return name === undefined ? OF_COLLECTION : OF_OBJECT;
  if (subresource === 'eviction' && entry.resource === 'pods') return { create: evictPod };
  return subresource === 'status' && entry.status ? OF_STATUS : null;
}

function protectedNamespace({ route }: ResourceRequest): ServedAnswer | null {
  const { entry, name = '' } = route;
  if (entry.resource !== 'namespaces' || !SYSTEM_NAMESPACES.has(name)) return null;
  const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`;
  const details = { name, kind: 'namespaces' };
  return statusAnswer(403, 'Forbidden', message, details);
}

function deleteMatching(context: ApiContext, request: ResourceRequest): ServedAnswer {
  const { route, query } = request;
  const selected = selection(route.entry.resource, query);
  if (!selected.ok) return badRequestAnswer(selected.message);
  const inside = inNamespace(route);
  const all = context.store.list(route.entry.resource);
  const gone = (all.ok ? all.object : []).filter((one) => inside(one) && selected.matches(one));
  for (const { metadata } of gone) {
    const { name, namespace } = metadata;
    const named = { ...route, name, ...(namespace === undefined ? {} : { namespace }) };
    deleteObject(context, { ...request, route: named });
  }
  return json(200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });
}
