import type { CloudBalancers } from '../domain/comparison/compared-object.js';
import type { ClusterMatch } from '../domain/gates/own/series-selector.js';
import type { TimeSeries } from '../domain/gates/samples/time-series.js';
import type { Manager } from '../domain/vocabulary.js';

/** Narrow interfaces to the outside. Every call has a deadline and honours `signal`; errors are `ApplicationFailure`s of the closed list. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** A kind of object, as named in the API server's paths. `namespace` empty for cluster-scoped kinds. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export type CollectionRef = Omit<ObjectRef, 'name'>;

export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Server's `Date` header, epoch ms. */
  readonly serverTimeMs: number;
}

export interface ListOptions extends CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  /** A collection with more objects is `NotSupported`: a part of it is never passed off as the whole. */
  readonly mostItems?: number;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/**
 * The Kubernetes API of one cluster, in the few verbs that we use.
 * A conflict surfaces as `Conflict`, 404 of `get` as null; 429 and 503 were retried with Retry-After inside the deadline.
 */
export interface KubernetesApi {
  serverVersion(options?: CallOptions): Promise<{ gitVersion: string }>;
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the fields it reads
  get<T extends ApiObject>(
    ref: ObjectRef,
    options?: CallOptions,
  ): Promise<{ object: T; serverTimeMs: number } | null>;
  list<T extends ApiObject>(ref: CollectionRef, options?: ListOptions): Promise<Page<T>>;
  /** Bounded watch: ends after `timeoutSeconds`, on idle, or on 410 (the caller lists again). */
  watch<T extends ApiObject>(
    ref: CollectionRef,
    options: ListOptions & { resourceVersion: string; timeoutSeconds: number },
  ): AsyncIterable<WatchEvent<T>>;
  create<T extends ApiObject>(object: T, options?: CallOptions & { dryRun?: boolean }): Promise<T>;
  /**
   * Full replacement; `metadata.resourceVersion` in the object is the precondition, as long as there is an object: a Lease,
   * Role, binding or Service that is gone is created again, whatever version is given (recorded from 1.30.14).
   */
  replace<T extends ApiObject>(object: T, options?: CallOptions): Promise<T>;
  /** JSON merge patch; put `metadata.resourceVersion` into the patch for a precondition. */
  mergePatch<T extends ApiObject>(ref: ObjectRef, patch: object, options?: CallOptions): Promise<T>;
  /** 404 counts as done. */
  remove(
    ref: ObjectRef,
    options?: CallOptions & { uid?: string; resourceVersion?: string; gracePeriodSeconds?: number },
  ): Promise<void>;
  /** POST .../pods/NAME/eviction; `blocked` when a disruption budget refuses (429). */
  evict(
    ref: { namespace: string; name: string },
    options?: CallOptions,
  ): Promise<'evicted' | 'gone' | 'blocked'>;
}

/**
 * A file, and the attributes to preserve when it is rewritten. `hash`: `sha256:<hex>` of its content; `changedAtMs`:
 * its `ctime`, epoch ms by the node's clock.
 */
export interface NodeFile {
  readonly path: string;
  readonly content: string;
  readonly hash: string;
  readonly mode: string;
  readonly changedAtMs: number;
}

/** Precondition and fence of a write: the required current content (`absent` for none), and the run's epoch. */
export interface WriteGuard {
  readonly expect: string;
  readonly epoch: number;
  /**
   * A new file may be read by every user of the node (0644) instead of root alone (0600): for what a manager reads that does not
   * run as root. One that is there keeps its mode.
   */
  readonly isForAll?: boolean;
}

/** Plain files of a folder with digests of their content. */
export type Listing = readonly { readonly name: string; readonly hash: string }[];

/**
 * Files of a node. Writes are atomic (temporary file outside the watched folder, fsync, rename), checked and written under
 * one lock against the node's epoch file: an older epoch is `FenceLost`, other content `ForeignEdit`. A node of another
 * cluster refuses: `ForeignNode`.
 */
export interface NodeFiles {
  read(node: string, path: string, options?: CallOptions): Promise<NodeFile | null>;
  write(
    node: string,
    path: string,
    content: string,
    guard: WriteGuard,
    options?: CallOptions,
  ): Promise<void>;
  remove(node: string, path: string, guard: WriteGuard, options?: CallOptions): Promise<void>;
}

/** A manager's process as the host sees it, whatever pod or container it is in. */
export interface HostProcess {
  readonly pid: number;
  readonly manager: Manager;
  /** As of a kubelet; null where the node's agent does not report it. */
  readonly startTicks: number | null;
  /** Epoch ms by the node's clock: boot time plus /proc start time. */
  readonly startedAtMs: number;
  readonly arguments: readonly string[];
  /** `T` in /proc state: stopped by a signal. */
  readonly paused: boolean;
}

/**
 * A kubelet as the host sees it: in the PID namespace of the host's first process (a nested cluster's is not ours), by
 * the name of its program. Its arguments at start count, not the current files: kubelets read flags once.
 */
export interface KubeletProcess {
  readonly pid: number;
  /** Ticks since boot (`/proc/PID/stat`, field 22): with the boot and the pid they name one process. */
  readonly startTicks: number;
  readonly startedAtMs: number;
  readonly arguments: readonly string[];
}

/** Names one process of a boot: its id may be given again, never with the same start. */
export type ProcessName = Pick<KubeletProcess, 'pid' | 'startTicks'>;

export interface HostState {
  readonly hostname: string;
  readonly bootId: string;
  readonly bootTimeMs: number;
  /** The node's clock at the moment of reading. */
  readonly nowMs: number;
  readonly processes: readonly HostProcess[];
  /** One on a healthy node; none where it is down, or runs under a name that we do not know. */
  readonly kubelets: readonly KubeletProcess[];
}

/** What one inspection of a node requests. Files are read whole; folders return digests only. */
export interface NodeRequest {
  readonly files: readonly string[];
  readonly directories: readonly string[];
}

/** One node at one moment: host, files (null where absent), folders, and election series of managers that listen. */
export interface NodeSnapshot {
  readonly host: HostState;
  readonly files: ReadonlyMap<string, NodeFile | null>;
  readonly directories: ReadonlyMap<string, Listing>;
  /** Lines of `leader_election_master_status` (and its comments); null when nothing listens. */
  readonly elections: Readonly<Record<Manager, string | null>>;
}

/** What runs on a node: the only proof of death. */
export interface NodeProcesses {
  /** The whole inspection in one request: over SSH a request is a channel and a process. */
  snapshot(node: string, wanted: NodeRequest, options?: CallOptions): Promise<NodeSnapshot>;
  host(node: string, options?: CallOptions): Promise<HostState>;
  /** `/metrics` of a manager on the node's own loopback; null when nothing listens. */
  metrics(node: string, manager: Manager, options?: CallOptions): Promise<string | null>;
  /**
   * Ends a manager's process that a signal has stopped (policy permitting): this very one, and only while it is still
   * stopped. `PreconditionFailed` when it runs, `NotSupported` when a tracer holds it; one that is gone counts as done.
   */
  kill(
    node: string,
    process: ProcessName,
    guard: { readonly epoch: number },
    options?: CallOptions,
  ): Promise<void>;
}

/** The kubelet's unit as reported by the node's service manager. */
export interface KubeletUnit {
  /** For people, for example `active (running)` or `activating (auto-restart), exit-code`. */
  readonly state: string;
  /** Files that its environment, and with it its arguments, comes from. */
  readonly environmentFiles: readonly string[];
}

export interface KubeletOrder {
  /** `--cloud-provider` that it must run with; a kubelet that already does is left alone. */
  readonly cloudProvider: string;
  /** File that its unit takes the flag from, as written before. Other content is `ForeignEdit`. */
  readonly flags: { readonly path: string; readonly hash: string };
  readonly epoch: number;
}

export type RestartAnswer = 'restarted' | 'runsSo';

/** Kubelets as services of their node. A node without systemd, or without that unit, is `NotSupported`. */
export interface NodeKubelets {
  unit(node: string, options?: CallOptions): Promise<KubeletUnit>;
  /**
   * Returns when the unit was restarted: no proof of the new process. `Unavailable`: the old one may be gone
   * nevertheless.
   */
  restart(node: string, order: KubeletOrder, options?: CallOptions): Promise<RestartAnswer>;
}

export interface MachineOrder {
  readonly name: string;
  readonly side: 'source' | 'target';
  readonly version: string;
  /** Absolute path → content, written before the kubelet starts. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Machine {
  readonly name: string;
  readonly side: 'source' | 'target';
  readonly state: 'ordered' | 'booting' | 'ready' | 'failed' | 'deleting';
  readonly node: string | null;
  readonly providerId: string | null;
  readonly reason: string;
}

/** Adds and removes machines: the HTTP contract of docs/contracts/machines-api.md. */
export interface Machines {
  list(options?: CallOptions): Promise<readonly Machine[]>;
  add(order: MachineOrder, guard: MachineGuard, options?: CallOptions): Promise<Machine>;
  /** Returns once the provider accepted the request; the list shows when the machine is gone; absent counts as done. */
  remove(name: string, guard: MachineGuard, options?: CallOptions): Promise<void>;
}

export interface MachineGuard extends Pick<WriteGuard, 'epoch'> {
  readonly idempotencyKey: string;
}

/** An expression in PromQL, at one moment or over a time. */
export interface MetricQuery {
  readonly promql: string;
  /** Evaluated at each step of this time; now, by the server's clock, without it. */
  readonly over?: { readonly startMs: number; readonly endMs: number; readonly stepMs: number };
}

/** A whole answer: one that may be partial is a failure. */
export interface MetricAnswer {
  /**
   * `raw` from a range selector: the scrapes, at their own times. `calculated` at the times of evaluation, whenever the
   * samples behind them were scraped; a scalar is one series without labels.
   */
  readonly kind: 'raw' | 'calculated';
  readonly series: readonly TimeSeries[];
  /** What the server remarks about the query; they change nothing. */
  readonly infos: readonly string[];
  /** Server's `Date` header, epoch ms; null without one. */
  readonly serverTimeMs: number | null;
}

/** A time series database with the HTTP API of Prometheus. */
export interface MetricSource {
  query(query: MetricQuery, options?: CallOptions): Promise<MetricAnswer>;
}

/** The series of one cluster in a time series database that other clusters share. */
export interface ClusterMetrics {
  /** For people: what was asked. */
  readonly host: string;
  /** Labels that tell this cluster from others. */
  readonly labels: readonly string[];
  /** A scrape that is older says nothing about now. */
  readonly staleAfterMs: number;
  /** Of an expression's series those of this cluster; equal expressions of several clusters are one query. */
  own(query: MetricQuery, signal: AbortSignal): Promise<MetricAnswer>;
  /** The same for an expression that is built for the clusters that ask at about the same time. */
  joined(query: JoinedQuery, signal: AbortSignal): Promise<MetricAnswer>;
}

/** A query of several clusters. */
export interface JoinedQuery extends Pick<MetricQuery, 'over'> {
  /** Equal for equal expressions. */
  readonly key: string;
  readonly promql: (clusters: readonly ClusterMatch[]) => string;
  /** So many clusters share one answer, whose size is limited. */
  readonly mostTogether: number;
}

/** What a cloud itself has for a cluster: the HTTP contract of docs/contracts/cloud-api.md. Read only. */
export interface CloudLists {
  loadBalancers(options?: CallOptions): Promise<CloudBalancers>;
}

/** All ports of one cluster. */
export interface ClusterPorts {
  readonly api: KubernetesApi;
  readonly files: NodeFiles;
  readonly processes: NodeProcesses;
  readonly kubelets: NodeKubelets;
  /** Null where machines cannot be requested: in place only. */
  readonly machines: Machines | null;
  /** Absent where the inventory names no source of metrics. */
  readonly metrics?: ClusterMetrics;
  /** Absent where the inventory names no cloud API. */
  readonly cloud?: CloudLists;
}
