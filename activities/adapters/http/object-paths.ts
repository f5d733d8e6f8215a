import { failure } from '../../failures.js';
import type { CollectionRef, ObjectRef } from '../../ports.js';

interface Resource {
  readonly plural: string;
  readonly namespaced: boolean;
  /** Created only for its answer: nothing is stored. */
  readonly review?: true;
}

const namespaced = (plural: string): Resource => ({ plural, namespaced: true });
const clusterScoped = (plural: string): Resource => ({ plural, namespaced: false });
const review = (plural: string): Resource => ({ plural, namespaced: false, review: true });

/** The kinds that the product uses, by apiVersion and kind, so that nothing else can be addressed by mistake. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  'v1 ConfigMap': namespaced('configmaps'),
  'v1 Endpoints': namespaced('endpoints'),
  'v1 Event': namespaced('events'),
  'v1 Namespace': clusterScoped('namespaces'),
  'v1 Node': clusterScoped('nodes'),
  'v1 PersistentVolume': clusterScoped('persistentvolumes'),
  'v1 Pod': namespaced('pods'),
  'v1 Service': namespaced('services'),
  'v1 ServiceAccount': namespaced('serviceaccounts'),
  'apps/v1 DaemonSet': namespaced('daemonsets'),
  'apps/v1 Deployment': namespaced('deployments'),
  'coordination.k8s.io/v1 Lease': namespaced('leases'),
  'events.k8s.io/v1 Event': namespaced('events'),
  'policy/v1 PodDisruptionBudget': namespaced('poddisruptionbudgets'),
  'rbac.authorization.k8s.io/v1 ClusterRole': clusterScoped('clusterroles'),
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': clusterScoped('clusterrolebindings'),
  'rbac.authorization.k8s.io/v1 Role': namespaced('roles'),
  'rbac.authorization.k8s.io/v1 RoleBinding': namespaced('rolebindings'),
  'storage.k8s.io/v1 CSIDriver': clusterScoped('csidrivers'),
  'storage.k8s.io/v1 CSINode': clusterScoped('csinodes'),
  'storage.k8s.io/v1 StorageClass': clusterScoped('storageclasses'),
  'authorization.k8s.io/v1 SelfSubjectAccessReview': review('selfsubjectaccessreviews'),
  'authorization.k8s.io/v1 SelfSubjectRulesReview': review('selfsubjectrulesreviews'),
  'authorization.k8s.io/v1 SubjectAccessReview': review('subjectaccessreviews'),
};

export function isReview(ref: CollectionRef): boolean {
  return resourceOf(ref).review === true;
}

/** Path of one object, from the base address. */
export function objectPath(ref: ObjectRef): string {
  const resource = resourceOf(ref);
  if (resource.namespaced && (ref.namespace ?? '') === '') {
    throw failure('Bug', `${describeRef(ref)} has no namespace`);
  }
  return `${collectionPath(ref)}/${pathSegment(ref.name)}`;
}

/** Path of a collection; without a namespace that of all namespaces. */
export function collectionPath(ref: CollectionRef): string {
  const { plural, namespaced: inNamespace } = resourceOf(ref);
  const group = ref.apiVersion.includes('/') ? `/apis/${ref.apiVersion}` : `/api/${ref.apiVersion}`;
  const namespace = ref.namespace ?? '';
  return inNamespace && namespace !== ''
    ? `${group}/namespaces/${pathSegment(namespace)}/${plural}`
    : `${group}/${plural}`;
}

/** For errors: `Lease kube-system/ccm-migrate`. */
export function describeRef(ref: CollectionRef & { readonly name?: string }): string {
  const name = [ref.namespace ?? '', ref.name ?? ''].filter((part) => part !== '').join('/');
  return name === '' ? ref.kind : `${ref.kind} ${name}`;
}

/** One segment of a path. Names with `/` or `%`, `.` and `..` are not object names and could address something else. */
export function pathSegment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%\\\s]/.test(name)) {
    throw failure('InvalidInput', `${JSON.stringify(name)} cannot be a name in a path`);
  }
  return encodeURIComponent(name);
}

function resourceOf({ apiVersion, kind }: CollectionRef): Resource {
  const resource = RESOURCES[`${apiVersion} ${kind}`];
  if (resource === undefined) {
    throw failure('Bug', `kind ${apiVersion} ${kind} is missing from the table of paths`);
  }
  return resource;
}
