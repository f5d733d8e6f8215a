import type { LoadBalancer } from '../observation/load-balancers.js';
import type { FactKind } from './fact-rules.js';

/** An object of users in the parts that cloud controllers write: a migration must leave them as they were. */
export interface ComparedObject {
  readonly kind: 'Service' | 'Node' | 'PersistentVolume' | 'LoadBalancer';
  /** `namespace/name`, the name of a cluster-scoped one, or the cloud's name for a load balancer. */
  readonly key: string;
  /** Distinguishes it from a later one of the same name; empty for a load balancer. */
  readonly uid: string;
  /** By `factKey`; the value is empty where the name says it all. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Load balancers as the cloud has them. Many stand before the same backends, so these are named once, in pools. */
export interface CloudBalancers {
  readonly balancers: readonly CloudBalancer[];
  /** By the name of the pool: names, providerIDs or addresses of Nodes, or names of the cloud's own. */
  readonly pools: Readonly<Record<string, readonly string[]>>;
}

export interface CloudBalancer {
  /** The cloud's own name for it. */
  readonly id: string;
  /** IP addresses or hostnames that users reach it at. */
  readonly addresses: readonly string[];
  /** Those that it passes traffic on to; each is one of `CloudBalancers.pools`. */
  readonly pools: readonly string[];
}

/** A cloud's own list, and what tells which of its changes are explained. Sorted, as all that is in it. */
export interface CloudList extends CloudBalancers {
  /** Names, providerIDs and addresses of the Nodes at that time. */
  readonly nodes: readonly string[];
}

/** A fact of one object that is not what it was. `then` and `now` are absent where the fact was. */
export interface ObjectDifference {
  readonly object: Omit<ComparedObject, 'facts'>;
  readonly fact: string;
  readonly then: string | null;
  readonly now: string | null;
}

/** What one listing of a cluster holds of them. It grows with the cluster: histories carry its digest alone. */
export interface ObjectList {
  readonly loadBalancers: readonly LoadBalancer[];
  /** Names of Nodes that are not of the control plane, sorted. */
  readonly workers: readonly string[];
  /** Sorted by kind, name and UID. */
  readonly objects: readonly ComparedObject[];
  /** What the cloud itself lists; absent where it was not asked. */
  readonly cloud?: CloudList;
}

/** The same cluster at two times. */
export interface ListsThenAndNow {
  readonly then: ObjectList;
  readonly now: ObjectList;
}

/** Of a Service's finalizer for example `finalizer service.kubernetes.io/load-balancer-cleanup`. */
export function factKey(kind: FactKind, name = ''): string {
  return name === '' ? kind : `${kind} ${name}`;
}

/** One object as the same at any time: a later one of its name has another UID. */
export function objectIdentity({ kind, key, uid }: Omit<ComparedObject, 'facts'>): string {
  return `${kind} ${key} ${uid}`;
}
