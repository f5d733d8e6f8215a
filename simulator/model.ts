import type { CloudController, Manager } from '../domain/vocabulary.js';

/**
 * The joint between the simulator's actors (processes, kubelets, machines, cloud) and its HTTP side (store, access
 * control, faults, server). Everything here is synchronous: one cluster's whole world moves on one `Clock`, so a
 * seed and a list of events repeat a run exactly. Times are milliseconds of simulated time since the epoch.
 *
 * Agreement: `simulator/store/object-store.ts` exports `createObjectStore: CreateObjectStore`;
 * `simulator/cluster/create-cluster.ts` exports `createCluster(spec): SimulatedCluster`.
 */

export type Cancel = () => void;

export interface Clock {
  nowMs(): number;
  /** Runs once after `delayMs` of simulated time; calls due at the same moment run in the order they were made. */
  schedule(delayMs: number, run: () => void): Cancel;
}

/** Time that moves only when told. */
export interface VirtualClock extends Clock {
  /** Runs everything due in the next `ms` and ends exactly `ms` later. */
  advanceBy(ms: number): void;
  /** Runs call after call until `holds()`; false when `limitMs` went by first. */
  advanceUntil(holds: () => boolean, limitMs: number): boolean;
  /** Jumps to the next call and runs it; false when nothing is scheduled. */
  runNext(): boolean;
}

/** Seeded randomness: the same seed and the same forks give the same numbers. */
export interface Draws {
  /** [0, 1). */
  unit(): number;
  /** [low, high). */
  between(low: number, high: number): number;
  hex(digits: number): string;
  uuid(): string;
  /** An independent stream, decided by this stream's seed and the label alone. */
  fork(label: string): Draws;
}

// --- Objects -------------------------------------------------------------------------------------------------------

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

/** An object as stored. Never changed in place: whoever edits builds a new one. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

/** What a writer gives; the store fills uid, resourceVersion, creationTimestamp and generation. */
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

export interface ApiRefusal {
  readonly ok: false;
  readonly code: 400 | 403 | 404 | 409 | 422 | 429 | 500 | 503;
  /** Status reason, for example `NotFound`, `AlreadyExists`, `Conflict`, `Forbidden`. */
  readonly reason: string;
  readonly message: string;
}

export type ApiAnswer<T = StoredObject> = { readonly ok: true; readonly object: T } | ApiRefusal;

export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
}

/** The verbs that actors use. Through `asUser` each is first judged by RBAC. */
export interface ObjectClient {
  get(ref: ResourceRef): ApiAnswer;
  list(
    resource: string,
    options?: { readonly namespace?: string },
  ): ApiAnswer<readonly StoredObject[]>;
  create(resource: string, object: DraftObject): ApiAnswer;
  /** Full replacement (status included). `metadata.resourceVersion`, when given, is the precondition: 409 `Conflict`. */
  update(resource: string, object: DraftObject): ApiAnswer;
  /** With finalizers left the object only gets a deletionTimestamp and goes with the last of them. */
  delete(ref: ResourceRef, options?: DeleteOptions): ApiAnswer;
}

export interface ChangeEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly object: StoredObject;
  readonly previous: StoredObject | null;
}

export interface ObjectStore extends ObjectClient {
  /** Calls made in the name of a user; groups include `system:authenticated` without being given. */
  asUser(user: string, groups?: readonly string[]): ObjectClient;
  /** Called after each change, in order, before the writer's call returns. `'*'` hears of every resource. */
  onChange(resource: string, listener: (event: ChangeEvent) => void): Cancel;
  /** The newest resourceVersion given out; one row of growing numbers per cluster. */
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

/** The authorizer reads Roles, ClusterRoles and bindings out of this very store. */
export type CreateObjectStore = (options: ObjectStoreOptions) => ObjectStore;

// --- Nodes ---------------------------------------------------------------------------------------------------------

export interface SimulatedFile {
  readonly content: string;
  /** Octal, for example `0600`. */
  readonly mode: string;
}

export interface FileSystem {
  read(path: string): SimulatedFile | undefined;
  /** Names (not paths) of the files directly in a folder, sorted; empty when the folder is absent. */
  list(directory: string): readonly string[];
  write(path: string, content: string, mode?: string): void;
  /** Absent files are no error. */
  remove(path: string): void;
  onChange(listener: (path: string) => void): Cancel;
}

export interface SimulatedProcess {
  readonly pid: number;
  readonly manager: Manager;
  readonly startedAtMs: number;
  readonly arguments: readonly string[];
  readonly paused: boolean;
}

export interface HostView {
  readonly hostname: string;
  readonly bootId: string;
  readonly bootTimeMs: number;
  readonly processes: readonly SimulatedProcess[];
}

/** One control-plane machine, running or crashed. */
export interface SimulatedNode {
  /** Node object's name; the OS hostname in `host()` may differ. */
  readonly name: string;
  /** False while crashed or partitioned: node access answers 503 `NodeUnreachable`. */
  readonly reachable: boolean;
  readonly files: FileSystem;
  host(): HostView;
  /** Exposition text of `/metrics` on the node's loopback; null when no such process listens (none, or paused). */
  metrics(manager: Manager): string | null;
  /** Body of `/configz`; null as above. */
  configz(manager: Manager): string | null;
  /** SIGKILL; false when there is no such process. */
  kill(pid: number): boolean;
}

// --- Machines ------------------------------------------------------------------------------------------------------

export interface MachineOrderRequest {
  readonly name: string;
  readonly side: 'source' | 'target';
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  readonly epoch: number;
  readonly idempotencyKey: string;
}

export interface MachineView {
  readonly name: string;
  readonly side: 'source' | 'target';
  readonly state: 'ordered' | 'booting' | 'ready' | 'failed' | 'deleting';
  readonly node: string | null;
  readonly providerId: string | null;
  readonly reason: string;
}

export type MachineAnswer =
  | { readonly kind: 'created' | 'known'; readonly machine: MachineView }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'refused';
      readonly reason: 'StaleEpoch' | 'Conflict' | 'EtcdUnsafe';
      readonly message: string;
    };

/** The rules of docs/contracts/machines-api.md; HTTP maps `created` to 201, `deleting` to 202, refusals to 409. */
export interface MachineProvider {
  list(): readonly MachineView[];
  order(request: MachineOrderRequest): MachineAnswer;
  delete(
    name: string,
    guard: { readonly epoch: number; readonly idempotencyKey: string },
  ): MachineAnswer;
  readonly etcdMemberRemoval: 'machinesApi' | 'us';
}

// --- Truth ---------------------------------------------------------------------------------------------------------

/** One call of a cloud controller to the cloud. */
export interface CloudCall {
  readonly atMs: number;
  readonly durationMs: number;
  /** `EnsureLoadBalancer`, `EnsureLoadBalancerDeleted`, `UpdateLoadBalancer`, `ListRoutes`, `InstanceExists`, … */
  readonly op: string;
  readonly args: string;
  readonly controller: CloudController | 'cloud-node';
  readonly cluster: string;
  readonly node: string;
  readonly manager: Manager;
  readonly pid: number;
  readonly identity: string;
  readonly version: string;
}

export interface OwnershipInterval {
  readonly fromMs: number;
  readonly toMs: number | null;
  /** Like `kcm:cp-1#812`, sorted; empty while nobody runs it. */
  readonly owners: readonly string[];
}

export interface ControllerTruth {
  readonly overlapSeconds: number;
  readonly orphanSeconds: number;
  /** How often the single owner became another process. */
  readonly moves: number;
  readonly intervals: readonly OwnershipInterval[];
  readonly orphans: readonly {
    readonly fromMs: number;
    readonly toMs: number | null;
    readonly seconds: number;
  }[];
}

/** What really happened: from processes that ran a loop, never from what anyone believes. */
export interface Truth {
  readonly nowMs: number;
  readonly controllers: Readonly<
    Record<'service' | 'route' | 'cloud-node-lifecycle', ControllerTruth>
  >;
  readonly cloudCalls: number;
}

// --- Cluster -------------------------------------------------------------------------------------------------------

export interface SimulatedCluster {
  readonly id: string;
  /** UID of namespace kube-system. */
  readonly uid: string;
  readonly clock: Clock;
  readonly store: ObjectStore;
  /** Version that `/version` answers, with `v`. */
  readonly apiServerVersion: string;
  readonly machines: MachineProvider;
  /** Control-plane machines that exist at the provider, crashed ones included, sorted by Node name. */
  nodes(): readonly SimulatedNode[];
  node(name: string): SimulatedNode | undefined;
  /** Each event is false when there is nothing it could strike. */
  crashProcess(node: string, manager: Manager): boolean;
  pauseProcess(node: string, manager: Manager): boolean;
  resumeProcess(node: string, manager: Manager): boolean;
  /** The machine dies at once with all its processes. It stays at the provider until it is deleted. */
  crashNode(node: string): boolean;
  /** The node reaches no API server and is not reached; its processes live on. */
  partitionNode(node: string): boolean;
  /** Ends a partition; boots a crashed machine again (new bootId). */
  healNode(node: string): boolean;
  /** Removes a load balancer behind the cluster's back. */
  deleteCloudLoadBalancer(service: string): boolean;
  truth(): Truth;
  cloudJournal(): readonly CloudCall[];
  /** Cancels everything scheduled. */
  stop(): void;
}
