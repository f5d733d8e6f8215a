import type {
  ApiObject,
  CollectionRef,
  KubernetesApi,
  ObjectRef,
} from '../../../../activities/ports.js';
import type { Environment } from '../environment.js';

/** A story on one API server, with its own objects. */
export interface Scenario {
  /** Also the name of the recording. */
  readonly name: string;
  readonly about: string;
  play(environment: Environment): Promise<void>;
}

/** Items of lists that scenarios made; all others are the cluster's own. */
export function isOwn(name: string): boolean {
  return /^corpus-|^ccm-migrate|^cloud-controller-manager$/.test(name);
}

export interface AnyObject extends ApiObject {
  readonly [member: string]: unknown;
}

export const LEASES: Required<CollectionRef> = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
};
export const CONFIG_MAPS: Required<CollectionRef> = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'kube-system',
};
export const NODES: CollectionRef = { apiVersion: 'v1', kind: 'Node' };
export const PODS: Required<CollectionRef> = {
  apiVersion: 'v1',
  kind: 'Pod',
  namespace: 'kube-system',
};

const RBAC = 'rbac.authorization.k8s.io/v1';
export const ROLES: Required<CollectionRef> = {
  apiVersion: RBAC,
  kind: 'Role',
  namespace: 'kube-system',
};
export const ROLE_BINDINGS: Required<CollectionRef> = { ...ROLES, kind: 'RoleBinding' };
export const CLUSTER_ROLES: CollectionRef = { apiVersion: RBAC, kind: 'ClusterRole' };

export function named(collection: CollectionRef, name: string): ObjectRef {
  return { ...collection, name };
}

/** A new object of a collection. */
export function made(
  { apiVersion, kind, namespace }: CollectionRef,
  name: string,
  rest: Readonly<Record<string, unknown>> = {},
): AnyObject {
  const { metadata = {}, ...parts } = rest;
  const place = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion, kind, metadata: { ...place, ...(metadata as object) }, ...parts };
}

/** The version of an object, from the response. */
export function versionOf(object: ApiObject): string {
  return object.metadata?.resourceVersion ?? '';
}

export function uidOf(object: ApiObject): string {
  return object.metadata?.uid ?? '';
}

/** A uid that no object has. */
export const NO_UID = '00000000-0000-4000-8000-000000000000';

/** Events until `enough` of them arrived or the server ended the watch. */
export async function watched(
  api: KubernetesApi,
  ref: CollectionRef,
  options: Parameters<KubernetesApi['watch']>[1],
  enough = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { type, object } of api.watch(ref, options)) {
    if (type !== 'BOOKMARK') seen.push(`${type} ${object.metadata?.name ?? ''}`);
    if (seen.length >= enough) break;
  }
  return seen;
}
