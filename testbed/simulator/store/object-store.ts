import type {
  ApiAnswer,
  Cancel,
  ChangeEvent,
  CreateObjectStore,
  DeleteOptions,
  DraftObject,
  ObjectStore,
  ObjectStoreOptions,
  ResourceRef,
  StoredObject,
  UpdateOptions,
  WriteOptions,
} from '../model.js';
import { createAuthorizer, type Authorize } from '../rbac/authorizer.js';
import { judgedClient } from '../rbac/judged-client.js';
import { ACCESS_RESOURCES, rememberDecisions } from '../rbac/remembered-decisions.js';
import { Announcer } from './announcer.js';
import { textAt, valueAt } from '../../base/json.js';
import { atVersion, firstVersion, nextVersion, sameContent, timestamp } from './metadata.js';
import { alreadyExists, badRequest, notFound, unknownPath } from './refusals.js';
import { removalPrecondition, updatePrecondition } from './write-preconditions.js';
import { resourceKind, type ResourceKind } from './resources.js';

type Shelf = Map<string, StoredObject>;

const stored = (object: StoredObject): ApiAnswer => ({ ok: true, object });

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

/** The objects of one cluster, in memory, with the rules of etcd and the API server's registry. */
class ClusterStore implements ObjectStore {
  private readonly shelves = new Map<string, Shelf>();
  private readonly announcer = new Announcer();
  private readonly authorizer: Authorize;
  private readonly options: ObjectStoreOptions;
  private version = 0;

  constructor(options: ObjectStoreOptions) {
    this.options = options;
    const access = rememberDecisions(
      createAuthorizer({
        list: (resource) => this.shelf(resource).values(),
        get: (resource, namespace, name) => this.shelf(resource).get(keyOf(namespace, name)),
      }),
    );
    this.authorizer = access.authorize;
    for (const resource of ACCESS_RESOURCES) this.announcer.subscribe(resource, access.forget);
  }

  get(ref: ResourceRef): ApiAnswer {
    if (resourceKind(ref.resource) === undefined) return unknownPath();
    const object = this.find(ref);
    return object === undefined ? notFound(ref.resource, ref.name) : stored(object);
  }

  list(
    resource: string,
    options: { readonly namespace?: string } = {},
  ): ApiAnswer<readonly StoredObject[]> {
    if (resourceKind(resource) === undefined) return unknownPath();
    const { namespace } = options;
    const entries = [...this.shelf(resource)].sort(([a], [b]) => (a < b ? -1 : 1));
    const objects = entries.map(([, object]) => object);
    return {
      ok: true,
      object:
        namespace === undefined
          ? objects
          : objects.filter((object) => object.metadata.namespace === namespace),
    };
  }

  create(resource: string, draft: DraftObject, options: WriteOptions = {}): ApiAnswer {
    const entry = resourceKind(resource);
    if (entry === undefined) return unknownPath();
    const { name, namespace } = draft.metadata;
    if (entry.namespaced && namespace === undefined) {
      return badRequest(`${entry.kind} "${name}" needs a namespace`);
    }
    const key = keyOf(entry.namespaced ? namespace : undefined, name);
    if (this.shelf(resource).has(key)) return alreadyExists(resource, name);
    const object = firstVersion(entry, structuredClone(draft), {
      uid: this.options.draws.uuid(),
      resourceVersion: this.nextResourceVersion(options),
      nowMs: this.options.clock.nowMs(),
    });
    return this.put(resource, 'ADDED', object, null, options);
  }

  update(resource: string, draft: DraftObject, options: UpdateOptions = {}): ApiAnswer {
    const entry = resourceKind(resource);
    if (entry === undefined) return unknownPath();
    const ref = refOf(entry, draft);
    const current = this.find(ref);
    if (current === undefined) return notFound(resource, ref.name);
    const refused = updatePrecondition(ref, current, draft.metadata);
    if (refused !== null) return refused;
    const version = this.nextResourceVersion({ dryRun: true });
    const wanted = options.subresource === 'status' ? withStatus(current, draft) : draft;
    const next = nextVersion(entry, current, structuredClone(wanted), version);
    if (sameContent(current, next)) return stored(current);
    this.nextResourceVersion(options);
    if (isFinished(next)) {
      this.drop(ref, next, options);
      // The writer gets the version that it wrote to; watchers get the version of the removal.
      return stored(atVersion(next, current.metadata.resourceVersion));
    }
    return this.put(resource, 'MODIFIED', next, current, options);
  }

  delete(ref: ResourceRef, options: DeleteOptions = {}): ApiAnswer {
    if (resourceKind(ref.resource) === undefined) return unknownPath();
    const current = this.find(ref);
    if (current === undefined) return notFound(ref.resource, ref.name);
    const refused = removalPrecondition(ref, current, options);
    if (refused !== null) return refused;
    const graceSeconds = graceOf(ref, current, options);
    const waits = graceSeconds > 0 || (current.metadata.finalizers ?? []).length > 0;
    if (waits && current.metadata.deletionTimestamp !== undefined) return stored(current);
    const resourceVersion = this.nextResourceVersion(options);
    const deletionTimestamp = timestamp(this.options.clock.nowMs() + graceSeconds * 1000);
    if (!waits)
      return this.drop(ref, ended(ref, current, deletionTimestamp), options, resourceVersion);
    const metadata = {
      ...current.metadata,
      resourceVersion,
      deletionTimestamp,
      deletionGracePeriodSeconds: graceSeconds,
    };
    return this.put(ref.resource, 'MODIFIED', { ...current, metadata }, current, options);
  }

  asUser(user: string, groups: readonly string[] = []): ReturnType<ObjectStore['asUser']> {
    return judgedClient(this, this.authorizer, { user, groups });
  }

  authorize(question: Parameters<Authorize>[0]): ReturnType<Authorize> {
    return this.authorizer(question);
  }

  onChange(resource: string, listener: (event: ChangeEvent) => void): Cancel {
    return this.announcer.subscribe(resource, listener);
  }

  resourceVersion(): string {
    return String(this.version);
  }

  private shelf(resource: string): Shelf {
    const known = this.shelves.get(resource);
    if (known !== undefined) return known;
    const fresh: Shelf = new Map();
    this.shelves.set(resource, fresh);
    return fresh;
  }

  private find(ref: ResourceRef): StoredObject | undefined {
    const namespaced = resourceKind(ref.resource)?.namespaced === true;
    return this.shelf(ref.resource).get(keyOf(namespaced ? ref.namespace : undefined, ref.name));
  }

  private nextResourceVersion({ dryRun = false }: WriteOptions): string {
    if (dryRun) return String(this.version + 1);
    this.version += 1;
    return String(this.version);
  }

  private put(
    resource: string,
    type: 'ADDED' | 'MODIFIED',
    object: StoredObject,
    previous: StoredObject | null,
    { dryRun = false }: WriteOptions,
  ): ApiAnswer {
    // A dry run assigns no version: an existing object keeps its own, and a new one has none.
    if (dryRun) return stored(atVersion(object, previous?.metadata.resourceVersion ?? ''));
    this.shelf(resource).set(keyOf(object.metadata.namespace, object.metadata.name), object);
    this.announcer.announce({ type, resource, object, previous });
    return stored(object);
  }

  /** The last event of an object carries the version of its deletion, as in the watch cache. */
  private drop(
    ref: ResourceRef,
    last: StoredObject,
    { dryRun = false }: WriteOptions,
    resourceVersion = last.metadata.resourceVersion,
  ): ApiAnswer {
    if (dryRun) return stored(last);
    const { namespace, name } = last.metadata;
    const previous = this.find(ref) ?? null;
    this.shelf(ref.resource).delete(keyOf(namespace, name));
    const object = atVersion(last, resourceVersion);
    this.announcer.announce({ type: 'DELETED', resource: ref.resource, object, previous });
    return stored(object);
  }
}

/** A pod that is deleted at once still reports a deletion with grace period 0: its kubelet is no longer involved. */
function ended(ref: ResourceRef, current: StoredObject, now: string): StoredObject {
  if (ref.resource !== 'pods') return current;
  const { metadata } = current;
  const { deletionTimestamp = now } = metadata;
  return {
    ...current,
    metadata: { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 },
  };
}

function withStatus(current: StoredObject, draft: DraftObject): DraftObject {
  return { ...current, status: draft['status'] };
}

function refOf(entry: ResourceKind, draft: DraftObject): ResourceRef {
  const { name, namespace } = draft.metadata;
  return { resource: entry.resource, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** An object under deletion is removed with its last finalizer; a pod also waits for its kubelet. */
function isFinished(next: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = next.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  return deletionGracePeriodSeconds === 0;
}

/** Only pods that are bound to a node and have not ended have a grace period (registry/core/pod/strategy.go). */
function graceOf(ref: ResourceRef, current: StoredObject, options: DeleteOptions): number {
  const bound = ref.resource === 'pods' && textAt(current, 'spec', 'nodeName') !== '';
  const ended = ['Succeeded', 'Failed'].includes(textAt(current, 'status', 'phase'));
  if (!bound || ended) return 0;
  const declared = valueAt(current, 'spec', 'terminationGracePeriodSeconds');
  return options.gracePeriodSeconds ?? (typeof declared === 'number' ? declared : 30);
}

export const createObjectStore: CreateObjectStore = (options) => new ClusterStore(options);
