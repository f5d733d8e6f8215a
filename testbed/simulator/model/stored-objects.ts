import type { ApiRefusal } from '../../base/http/refusal.js';
import type { Cancel, Clock, Draws } from './clock.js';

export interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly Readonly<Record<string, unknown>>[];
  readonly managedFields?: readonly unknown[];
}

/** A stored object. Never mutated: an edit builds a new object. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

/** What a writer provides; the store fills uid, resourceVersion, creationTimestamp and generation. */
export interface DraftObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<ObjectMetadata> & { readonly name: string };
  readonly [field: string]: unknown;
}

/** `resource` is the plural of the path (`leases`, `nodes`, `pods`, …): plurals are unique among the kinds served. */
export interface ResourceRef {
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export type ApiAnswer<T = StoredObject> = { readonly ok: true; readonly object: T } | ApiRefusal;

export interface WriteOptions {
  /** Returns what would be stored, and stores nothing. */
  readonly dryRun?: boolean;
}

export interface DeleteOptions extends WriteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
}

export interface UpdateOptions extends WriteOptions {
  /** `status` changes the status alone, and RBAC authorizes the subresource. */
  readonly subresource?: 'status';
  /** The verb that RBAC authorizes; `update` unless the real client patches. */
  readonly asVerb?: 'update' | 'patch';
}

/** The verbs that actors use. Through `asUser`, RBAC authorizes each call first. */
export interface ObjectClient {
  get(ref: ResourceRef): ApiAnswer;
  list(
    resource: string,
    options?: { readonly namespace?: string },
  ): ApiAnswer<readonly StoredObject[]>;
  create(resource: string, object: DraftObject, options?: WriteOptions): ApiAnswer;
  /** Full replacement (status included). `metadata.resourceVersion`, when given, is the precondition: 409 `Conflict`. */
  update(resource: string, object: DraftObject, options?: UpdateOptions): ApiAnswer;
  /**
   * An object with finalizers only gets a deletionTimestamp; removing its last finalizer deletes it. So does a pod
   * bound to a node unless `gracePeriodSeconds` is 0: its kubelet deletes it once the containers have ended.
   */
  delete(ref: ResourceRef, options?: DeleteOptions): ApiAnswer;
}

export interface ChangeEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly object: StoredObject;
  readonly previous: StoredObject | null;
}

export interface ObjectStore extends ObjectClient {
  /** Calls on behalf of a user; `system:authenticated` is added to the groups. */
  asUser(user: string, groups?: readonly string[]): ObjectClient;
  /** Called after each change, in order, before the writer's call returns. `'*'` subscribes to every resource. */
  onChange(resource: string, listener: (event: ChangeEvent) => void): Cancel;
  /** Whether RBAC, as stored now, allows it. */
  authorize(question: AccessQuestion): { readonly allowed: boolean; readonly reason: string };
  /** The newest assigned resourceVersion; one increasing sequence per cluster. */
  resourceVersion(): string;
}

export interface AccessQuestion {
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  /** Absent for create and for collections. */
  readonly name?: string;
}

export interface ObjectStoreOptions {
  readonly clock: Clock;
  readonly draws: Draws;
}

/** The authorizer reads Roles, ClusterRoles and bindings from this store. */
export type CreateObjectStore = (options: ObjectStoreOptions) => ObjectStore;
