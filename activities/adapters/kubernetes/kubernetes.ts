import type { V1DeleteOptions, V1Eviction } from '@kubernetes/client-node';
import { failure, failureDetailsOf } from '../../failures.js';
import type {
  ApiObject,
  CallOptions,
  CollectionRef,
  KubernetesApi,
  ListOptions,
  ObjectRef,
  Page,
} from '../../ports.js';
import { asRequested, listPartOf, objectOf, serverTimeOf, versionOf } from '../http/api-answers.js';
import type { HttpClient } from '../http/http.js';
import { TOO_LARGE } from '../http/http.js';
import { collectionPath, describeRef, isReview, objectPath } from '../http/object-paths.js';
import { watchCollection } from './kubernetes-watch.js';

const FIELD_MANAGER = 'ccm-migrate';

/** The Kubernetes API over HTTP. The server refuses unknown fields in what we write instead of dropping them. */
export function createKubernetesApi(http: HttpClient): KubernetesApi {
  return {
    serverVersion: async (options) => {
      const request = { what: 'get version', method: 'GET', path: '/version', safe: true } as const;
      return versionOf((await http.send(request, options)).json);
    },
    get: (ref, options) => getObject(http, ref, options),
    list: (ref, options) => listAll(http, ref, options),
    watch: (ref, options) => watchCollection(http, ref, options),
    create: (object, options) => createObject(http, object, options),
    replace: (object, options) => replaceObject(http, object, options),
    mergePatch: (ref, patch, options) => patchObject(http, ref, patch, options),
    remove: (ref, options) => removeObject(http, ref, options),
    evict: (ref, options) => evictPod(http, ref, options),
  };
}

/** True for a 404 that names the object: proof of absence. A server that does not serve the kind names none. */
function isAbsent(error: unknown, name: string): boolean {
  const details = failureDetailsOf(error);
  return details.status === 404 && details.reason === 'NotFound' && details['name'] === name;
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as in the port
async function getObject<T extends ApiObject>(
  http: HttpClient,
  ref: ObjectRef,
  options?: CallOptions,
): Promise<{ object: T; serverTimeMs: number } | null> {
  const what = `get ${describeRef(ref)}`;
  try {
    const request = { what, method: 'GET', path: objectPath(ref), safe: true } as const;
    const answer = await http.send(request, options);
    const object = asRequested<T>(objectOf(what, answer.json, ref.name));
    return { object, serverTimeMs: serverTimeOf(what, answer) };
  } catch (error) {
    if (isAbsent(error, ref.name)) return null;
    throw error;
  }
}

async function createObject<T extends ApiObject>(
  http: HttpClient,
  object: T,
  { dryRun = false, ...options }: CallOptions & { dryRun?: boolean } = {},
): Promise<T> {
  const ref = collectionOf(object);
  const what = `create ${describeRef({ ...ref, name: object.metadata?.name ?? '' })}`;
  const answer = await http.send(
    {
      what,
      method: 'POST',
      path: collectionPath(ref),
      query: {
        fieldManager: FIELD_MANAGER,
        fieldValidation: 'Strict',
        ...(dryRun ? { dryRun: 'All' } : {}),
      },
      body: object,
      safe: dryRun || isReview(ref),
    },
    options,
  );
  return asRequested<T>(objectOf(what, answer.json, object.metadata?.name));
}

async function replaceObject<T extends ApiObject>(
  http: HttpClient,
  object: T,
  options?: CallOptions,
): Promise<T> {
  const ref = refOf(object);
  const what = `replace ${describeRef(ref)}`;
  const answer = await http.send(
    {
      what,
      method: 'PUT',
      path: objectPath(ref),
      query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
      body: object,
      safe: false,
    },
    options,
  );
  return asRequested<T>(objectOf(what, answer.json, ref.name));
}

async function patchObject<T extends ApiObject>(
  http: HttpClient,
  ref: ObjectRef,
  patch: object,
  options?: CallOptions,
): Promise<T> {
  const what = `patch ${describeRef(ref)}`;
  const answer = await http.send(
    {
      what,
      method: 'PATCH',
      path: objectPath(ref),
      query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' },
      body: patch,
      contentType: 'application/merge-patch+json',
      safe: false,
    },
    options,
  );
  return asRequested<T>(objectOf(what, answer.json, ref.name));
}

async function removeObject(
  http: HttpClient,
  ref: ObjectRef,
  options: CallOptions & {
    uid?: string;
    resourceVersion?: string;
    gracePeriodSeconds?: number;
  } = {},
): Promise<void> {
  const { uid, resourceVersion, gracePeriodSeconds, ...call } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const body: Wire<V1DeleteOptions> = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
  const what = `delete ${describeRef(ref)}`;
  try {
    await http.send({ what, method: 'DELETE', path: objectPath(ref), body, safe: false }, call);
  } catch (error) {
    if (!isAbsent(error, ref.name)) throw error;
  }
}

async function evictPod(
  http: HttpClient,
  { namespace, name }: { namespace: string; name: string },
  options?: CallOptions,
): Promise<'evicted' | 'gone' | 'blocked'> {
  const pod = { apiVersion: 'v1', kind: 'Pod', namespace, name };
  const metadata = { namespace, name };
  const body: Wire<V1Eviction> = { apiVersion: 'policy/v1', kind: 'Eviction', metadata };
  const path = `${objectPath(pod)}/eviction`;
  const what = `evict ${describeRef(pod)}`;
  try {
    await http.send({ what, method: 'POST', path, body, safe: false }, options);
    return 'evicted';
  } catch (error) {
    if (isAbsent(error, name)) return 'gone';
    if (failureDetailsOf(error)['budget'] === true) return 'blocked';
    throw error;
  }
}

function collectionOf({ apiVersion = '', kind = '', metadata }: ApiObject): CollectionRef {
  const namespace = metadata?.namespace;
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) };
}

function refOf(object: ApiObject): ObjectRef {
  return { ...collectionOf(object), name: object.metadata?.name ?? '' };
}

/** Objects a page: a busy Node takes about 15 KB, so a page stays well under the limit of 4 MiB. */
const PAGE_SIZE = 100;
/** Page size when those are too large to read at once. */
const SMALL_PAGE = 10;
const MAX_PAGES = 1000;

/**
 * The whole collection, page by page; `limit` is the size of a page. All pages show one resourceVersion. When that version
 * expires midway (410) the list restarts once; it also restarts with small pages when a page is too large.
 */
async function listAll<T extends ApiObject>(
  http: HttpClient,
  ref: CollectionRef,
  options: ListOptions = {},
): Promise<Page<T>> {
  try {
    return await listOnce<T>(http, ref, options);
  } catch (error) {
    const { status, reason } = failureDetailsOf(error);
    if (reason === TOO_LARGE) return listOnce<T>(http, ref, { ...options, limit: SMALL_PAGE });
    if (status !== 410) throw error;
    return listOnce<T>(http, ref, options);
  }
}

async function listOnce<T extends ApiObject>(
  http: HttpClient,
  ref: CollectionRef,
  { labelSelector, fieldSelector, limit = PAGE_SIZE, mostItems, ...call }: ListOptions,
): Promise<Page<T>> {
  const what = `list ${describeRef(ref)}`;
  const items: T[] = [];
  let next = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { labelSelector, fieldSelector, limit, continue: next === '' ? undefined : next };
    const path = collectionPath(ref);
    const answer = await http.send(
      { what, method: 'GET', path, query, safe: true, answer: 'list' },
      call,
    );
    const part = listPartOf<T>(what, answer.json, ref);
    items.push(...part.items);
    next = part.next;
    if (mostItems !== undefined && items.length + (next === '' ? 0 : 1) > mostItems) {
      throw failure('NotSupported', `${what}: more than ${String(mostItems)} objects`);
    }
    if (next === '') {
      const { resourceVersion } = part;
      return { items, resourceVersion, serverTimeMs: serverTimeOf(what, answer) };
    }
  }
  throw failure('NotSupported', `${what}: more than ${String(MAX_PAGES)} pages`);
}

/** A model of @kubernetes/client-node in its JSON form: plain objects, and strings where the model has dates. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Wire<T[Key]> }
      : T;
