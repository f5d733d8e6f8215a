import { isDeepStrictEqual } from 'node:util';
import type { ApiAnswer, ApiRefusal, DraftObject, StoredObject } from '../model.js';
import { refusedEscalation } from '../rbac/escalation.js';
import { timestamp } from '../store/metadata.js';
import { isObject, listAt, objectAt, textAt, valueAt, type JsonObject } from '../store/json.js';
import { notFound } from '../store/refusals.js';
import { admit, immutableChange } from './admission.js';
import { badRequestAnswer, json, refusalAnswer, success } from './answers.js';
import { detailsOf, type ApiContext, type ResourceRequest } from './context.js';
import { withDefaults, withFirstStatus } from './defaults.js';
import { recordUpdate, type Writer } from './patch/field-managers.js';
import type { JsonAnswer } from './request.js';
import { isDryRun, type ResourceRoute } from './route.js';

/** JSON body as an object; null when it is none. */
export function jsonBody(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function notAnObject(): JsonAnswer {
  return badRequestAnswer('the body of the request is not a JSON object');
}

/** POST to a collection. */
export function createObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const body = jsonBody(request.body);
  if (body === null) return notAnObject();
  return storeNew(context, request, named(context, body));
}

/** Stores an object that is not there yet; server-side apply comes this way too, with its own books. */
export function storeNew(
  context: ApiContext,
  request: ResourceRequest,
  object: JsonObject,
  books: 'record' | 'keep' = 'record',
): JsonAnswer {
  const { route, query } = request;
  if (textAt(object, 'metadata', 'resourceVersion') !== '') {
    return badRequestAnswer('resourceVersion should not be set on objects to be created');
  }
  const admitted = admit(route, object);
  if (!admitted.ok) return refusalAnswer(admitted.refused, detailsOf(route));
  const { name } = admitted.draft.metadata;
  const lacking = missingNamespace(context, route);
  if (lacking !== null) return lacking;
  const whole = withFirstStatus(withDefaults(admitted.draft));
  const refused = refusedEscalation(context.store, request.requester, whole);
  if (refused !== null) return refusalAnswer(refused, detailsOf(route, name));
  const draft = books === 'keep' ? whole : recorded(null, whole, writerOf(context, request));
  const answer = context.store.create(route.entry.resource, draft, { dryRun: isDryRun(query) });
  return answered(answer, 201, route, name);
}

/** PUT: replaces an object, or with `/status` its status alone. */
export function replaceObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { route } = request;
  const body = jsonBody(request.body);
  if (body === null) return notAnObject();
  const found = currentObject(context, route);
  if (!found.ok) return refusalAnswer(found, detailsOf(route));
  return storeNext(context, request, found.object, body);
}

/** Stores the next version of an object that is there; what belongs to the other half of it stays. */
export function storeNext(
  context: ApiContext,
  request: ResourceRequest,
  before: StoredObject,
  after: JsonObject,
  books: 'record' | 'keep' = 'record',
): JsonAnswer {
  const { route, query } = request;
  const admitted = admit(route, after);
  if (!admitted.ok) return refusalAnswer(admitted.refused, detailsOf(route));
  const statusOnly = route.subresource === 'status';
  const whole = statusOnly
    ? admitted.draft
    : keepStatus(route, before, withDefaults(admitted.draft));
  const refused = statusOnly ? null : refusedChange(context, request, before, whole);
  if (refused !== null) return refusalAnswer(refused, detailsOf(route));
  const draft = books === 'keep' ? whole : recorded(before, whole, writerOf(context, request));
  const answer = context.store.update(route.entry.resource, draft, {
    dryRun: isDryRun(query),
    ...(statusOnly ? { subresource: 'status' as const } : {}),
  });
  return answered(answer, 200, route);
}

function refusedChange(
  { store }: ApiContext,
  { requester }: ResourceRequest,
  before: StoredObject,
  after: DraftObject,
): ApiRefusal | null {
  const unchanged = isDeepStrictEqual(before['rules'], after['rules']);
  const escalation = unchanged ? null : refusedEscalation(store, requester, after);
  return immutableChange(before, after) ?? escalation;
}

function keepStatus(route: ResourceRoute, before: StoredObject, draft: DraftObject): DraftObject {
  if (!route.entry.status) return draft;
  const { status: _status, ...rest } = draft;
  const kept = before['status'];
  return {
    ...rest,
    apiVersion: draft.apiVersion,
    kind: draft.kind,
    metadata: draft.metadata,
    ...(kept === undefined ? {} : { status: kept }),
  };
}

/** DELETE of one object, with preconditions and grace period from body or query. */
export function deleteObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { route, query } = request;
  const body = request.body === '' ? {} : jsonBody(request.body);
  if (body === null) return notAnObject();
  const name = route.name ?? '';
  const ref = {
    resource: route.entry.resource,
    name,
    ...(route.namespace === undefined ? {} : { namespace: route.namespace }),
  };
  const dryRun = isDryRun(query) || listAt(body, 'dryRun').includes('All');
  const answer = context.store.delete(ref, {
    ...preconditions(body),
    ...grace(body, query),
    dryRun,
  });
  if (!answer.ok) return refusalAnswer(answer, detailsOf(route));
  const waits = answer.object.metadata.deletionTimestamp !== undefined;
  if (waits) return json(200, answer.object);
  return success({ ...detailsOf(route), uid: answer.object.metadata.uid });
}

function preconditions(body: JsonObject): { uid?: string; resourceVersion?: string } {
  const uid = textAt(body, 'preconditions', 'uid');
  const resourceVersion = textAt(body, 'preconditions', 'resourceVersion');
  return { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) };
}

function grace(body: JsonObject, query: URLSearchParams): { gracePeriodSeconds?: number } {
  const asked = valueAt(body, 'gracePeriodSeconds') ?? query.get('gracePeriodSeconds');
  const seconds = asked === null ? Number.NaN : Number(asked);
  return Number.isInteger(seconds) && seconds >= 0 ? { gracePeriodSeconds: seconds } : {};
}

export function currentObject({ store }: ApiContext, route: ResourceRoute): ApiAnswer {
  const { entry, namespace, name = '' } = route;
  return store.get({
    resource: entry.resource,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  });
}

export function answered(
  answer: ApiAnswer,
  code: number,
  route: ResourceRoute,
  name = route.name,
): JsonAnswer {
  return answer.ok ? json(code, answer.object) : refusalAnswer(answer, detailsOf(route, name));
}

/** Field manager of a write: as asked for, else the first part of the user agent, as the API server names it. */
export function writerOf(context: ApiContext, request: ResourceRequest): Writer {
  const [agent = ''] = request.userAgent.split('/');
  const asked = request.query.get('fieldManager') ?? '';
  const manager = asked === '' ? agent : asked;
  return {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    time: timestamp(context.cluster.clock.nowMs()),
  };
}

function recorded(before: StoredObject | null, after: DraftObject, writer: Writer): DraftObject {
  const metadata = objectAt(recordUpdate(before, after, writer), 'metadata');
  return {
    ...after,
    metadata: { ...after.metadata, managedFields: listAt(metadata, 'managedFields') },
  };
}

function missingNamespace({ store }: ApiContext, route: ResourceRoute): JsonAnswer | null {
  if (!route.entry.namespaced) return null;
  if (route.namespace === undefined)
    return badRequestAnswer('an empty namespace may not be set during creation');
  const found = store.get({ resource: 'namespaces', name: route.namespace });
  if (found.ok) return null;
  return refusalAnswer(notFound('namespaces', route.namespace), {
    name: route.namespace,
    kind: 'namespaces',
  });
}

/** Fills in a name for `generateName`, of five letters that depend on the version alone. */
function named({ store }: ApiContext, body: JsonObject): JsonObject {
  const prefix = textAt(body, 'metadata', 'generateName');
  if (prefix === '' || textAt(body, 'metadata', 'name') !== '') return body;
  const suffix = (Number(store.resourceVersion()) + 1).toString(36).padStart(5, '0');
  return { ...body, metadata: { ...objectAt(body, 'metadata'), name: `${prefix}${suffix}` } };
}
