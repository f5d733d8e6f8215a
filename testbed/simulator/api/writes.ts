import { isDeepStrictEqual } from 'node:util';
import type { ApiAnswer, ApiRefusal, DraftObject, StoredObject } from '../model.js';
import { refusedEscalation } from '../rbac/escalation.js';
import { timestamp } from '../store/metadata.js';
import { listAt, objectAt, textAt, type JsonObject } from '../../base/json.js';
import { invalid, invalidValue, notFound, plainError } from '../store/refusals.js';
import { place, refusedNew, refusedNext } from './admission.js';
import { json, METHOD_NOT_ALLOWED, refusalAnswer } from '../../base/http/answers.js';
import { detailsOf, refOfRequest, type ApiContext, type ResourceRequest } from './context.js';
import { decodedBody, withWarnings } from './bodies.js';
import { withDefaults, withFirstDefaults, withFirstStatus } from './defaults.js';
import { recordUpdate, type FieldWriter } from './patch/field-managers.js';
import type { JsonAnswer } from '../../base/http/request.js';
import { isDryRun, type ResourceRoute } from './route.js';

/** POST to a collection. */
export function createObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { entry, namespace } = request.route;
  if (entry.namespaced && namespace === undefined) return METHOD_NOT_ALLOWED;
  const body = decodedBody(request);
  if ('kind' in body) return body;
  const answer = storeNew(context, request, named(context, body.object));
  return withWarnings(answer, body.warnings);
}

/** Stores a new object. Server-side apply uses it too, with its own managed fields. */
export function storeNew(
  context: ApiContext,
  request: ResourceRequest,
  object: JsonObject,
  books: 'record' | 'keep' = 'record',
): JsonAnswer {
  const { route, query } = request;
  if (textAt(object, 'metadata', 'resourceVersion') !== '') {
    return refusalAnswer(plainError('resourceVersion should not be set on objects to be created'));
  }
  const placed = place(route, object);
  if (!placed.ok) return refusalAnswer(placed.refused);
  const { name } = placed.draft.metadata;
  const lacking = missingNamespace(context, route);
  if (lacking !== null) return lacking;
  const whole = withFirstStatus(withFirstDefaults(withDefaults(placed.draft)));
  const refused =
    refusedEscalation(context.store, request.requester, whole) ?? refusedNew(route, whole);
  if (refused !== null) return refusalAnswer(refused, detailsOf(route, name));
  const draft = books === 'keep' ? whole : recorded(null, whole, writerOf(context, request));
  const dryRun = isDryRun(query);
  const answer = context.store.create(route.entry.resource, draft, { dryRun });
  return writeAnswer(answer, 201, route, name);
}

/** PUT: replaces an object, or with `/status` its status alone. For some kinds it also creates the object. */
export function replaceObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { route } = request;
  const body = decodedBody(request);
  if ('kind' in body) return body;
  const placed = place(route, body.object);
  if (!placed.ok) return refusalAnswer(placed.refused);
  const found = currentObject(context, route);
  const answer = found.ok
    ? (unversioned(route, placed.draft) ?? storeNext(context, request, found.object, body.object))
    : replacedAbsent(context, request, found, body.object);
  return withWarnings(answer, body.warnings);
}

function unversioned({ entry, name = '' }: ResourceRoute, draft: DraftObject): JsonAnswer | null {
  const { uid = '', resourceVersion = '' } = draft.metadata;
  // The storage detects another uid first.
  if (entry.unconditional || resourceVersion !== '' || uid !== '') return null;
  const { group, resource: kind } = entry;
  const why = 'must be specified for an update';
  return refusalAnswer(
    invalid({ kind, group, name }, [invalidValue('metadata.resourceVersion', '0x0', why)]),
  );
}

/** The version in the request is not checked: a missing object cannot have another one (registry/store.go Update). */
function replacedAbsent(
  context: ApiContext,
  request: ResourceRequest,
  absent: ApiRefusal,
  body: JsonObject,
): JsonAnswer {
  const { route } = request;
  const isMade = route.entry.createdByUpdate && route.subresource === undefined;
  if (!isMade || absent.code !== 404) return refusalAnswer(absent, detailsOf(route));
  const { resourceVersion: _version, ...metadata } = objectAt(body, 'metadata');
  return storeNew(context, request, { ...body, metadata });
}

/** Stores the next version of an existing object; the half that the request does not address (spec or status) stays. */
export function storeNext(
  context: ApiContext,
  request: ResourceRequest,
  before: StoredObject,
  after: JsonObject,
  books: 'record' | 'keep' = 'record',
): JsonAnswer {
  const { route, query } = request;
  const placed = place(route, after);
  if (!placed.ok) return refusalAnswer(placed.refused);
  const statusOnly = route.subresource === 'status';
  const whole = statusOnly ? placed.draft : keepStatus(route, before, withDefaults(placed.draft));
  const stale = isStale(request, before, whole);
  const refused = stale ? null : refusedChange(context, request, before, whole);
  if (refused !== null) return refusalAnswer(refused, detailsOf(route));
  const draft = books === 'keep' ? whole : recorded(before, whole, writerOf(context, request));
  const answer = context.store.update(route.entry.resource, draft, {
    dryRun: isDryRun(query),
    ...(statusOnly ? { subresource: 'status' as const } : {}),
  });
  return writeAnswer(answer, 200, route);
}

/** Preconditions are checked before validation; a patch that names another uid is rejected by validation instead. */
function isStale({ method }: ResourceRequest, before: StoredObject, after: DraftObject): boolean {
  const { uid = '', resourceVersion = '' } = after.metadata;
  if (resourceVersion !== '' && resourceVersion !== before.metadata.resourceVersion) return true;
  return method === 'PUT' && uid !== '' && uid !== before.metadata.uid;
}

function refusedChange(
  { store }: ApiContext,
  { requester, route }: ResourceRequest,
  before: StoredObject,
  after: DraftObject,
): ApiRefusal | null {
  const isSame =
    route.subresource === 'status' || isDeepStrictEqual(before['rules'], after['rules']);
  const escalation = isSame ? null : refusedEscalation(store, requester, after);
  return escalation ?? refusedNext(route, before, after);
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

export function currentObject({ store }: ApiContext, route: ResourceRoute): ApiAnswer {
  return store.get(refOfRequest(route));
}

export function writeAnswer(
  answer: ApiAnswer,
  code: number,
  route: ResourceRoute,
  name = route.name,
): JsonAnswer {
  if (!answer.ok) return refusalAnswer(answer, detailsOf(route, name));
  return json(code, written(answer.object));
}

/** A dry run of a create returns no version. */
function written(object: StoredObject): unknown {
  const { resourceVersion, ...metadata } = object.metadata;
  return resourceVersion === '' ? { ...object, metadata } : object;
}

/** Field manager of a write: the requested one, else the first part of the user agent, as on the API server. */
export function writerOf(context: ApiContext, request: ResourceRequest): FieldWriter {
  const [agent = ''] = request.userAgent.split('/');
  const asked = request.query.get('fieldManager') ?? '';
  const manager = asked === '' ? agent : asked;
  return {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    time: timestamp(context.cluster.clock.nowMs()),
  };
}

function recorded(
  before: StoredObject | null,
  after: DraftObject,
  writer: FieldWriter,
): DraftObject {
  const metadata = objectAt(recordUpdate(before, after, writer), 'metadata');
  return {
    ...after,
    metadata: { ...after.metadata, managedFields: listAt(metadata, 'managedFields') },
  };
}

function missingNamespace({ store }: ApiContext, route: ResourceRoute): JsonAnswer | null {
  const { namespace } = route;
  if (namespace === undefined || store.get({ resource: 'namespaces', name: namespace }).ok) {
    return null;
  }
  const details = { name: namespace, kind: 'namespaces' };
  return refusalAnswer(notFound('namespaces', namespace), details);
}

/** Generates a name for `generateName`, with five letters derived from the version, so that runs repeat. */
function named({ store }: ApiContext, body: JsonObject): JsonObject {
  const prefix = textAt(body, 'metadata', 'generateName');
  if (prefix === '' || textAt(body, 'metadata', 'name') !== '') return body;
  const suffix = (Number(store.resourceVersion()) + 1).toString(36).padStart(5, '0');
  return { ...body, metadata: { ...objectAt(body, 'metadata'), name: `${prefix}${suffix}` } };
}
