import type { V1DeleteOptions, V1Eviction } from '@kubernetes/client-node';
import { failureDetailsOf } from '../failures.js';
import type { ApiObject, CallOptions, CollectionRef, KubernetesApi, ObjectRef } from '../ports.js';
import { asRequested, objectOf, serverTimeOf, versionOf } from './api-answers.js';
import type { HttpClient } from './http.js';
import { listAll } from './kubernetes-list.js';
import { watchCollection } from './kubernetes-watch.js';
import { collectionPath, describe, isReview, objectPath } from './object-paths.js';
import type { Wire } from './wire.js';

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
  const what = `get ${describe(ref)}`;
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
  const what = `create ${describe({ ...ref, name: object.metadata?.name ?? '' })}`;
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
  const what = `replace ${describe(ref)}`;
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
  const what = `patch ${describe(ref)}`;
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
  const what = `delete ${describe(ref)}`;
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
  const what = `evict ${describe(pod)}`;
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
