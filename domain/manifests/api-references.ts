import { parseYamlDocuments } from '../yaml/parsed-documents.js';

/** Fields of a pod's spec that name an object of the API, and what kind it is. */
const REFERENCES: ReadonlyMap<string, string> = new Map([
  ['serviceAccountName', 'ServiceAccount'],
  ['serviceAccount', 'ServiceAccount'],
  ['serviceAccountToken', 'ServiceAccount token'],
  ['secret', 'Secret'],
  ['secretRef', 'Secret'],
  ['secretKeyRef', 'Secret'],
  ['nodePublishSecretRef', 'Secret'],
  ['imagePullSecrets', 'Secret'],
  ['configMap', 'ConfigMap'],
  ['configMapRef', 'ConfigMap'],
  ['configMapKeyRef', 'ConfigMap'],
  ['persistentVolumeClaim', 'PersistentVolumeClaim'],
  ['resourceClaims', 'ResourceClaim'],
]);
const NAMES = ['name', 'secretName', 'claimName'];

/**
 * API objects that a Pod refers to, for example `ServiceAccount ccm`. A static pod cannot use them, because the kubelet runs
 * it from its file alone. Its mirror pod is rejected, and from 1.34 on the kubelet does not run it at all.
 * Source: kubernetes.io/docs/tasks/configure-pod-container/static-pod; kubernetes/kubernetes
 * plugin/pkg/admission/serviceaccount/admission.go Validate, pkg/api/pod/util.go HasAPIObjectReference (gate
 * PreventStaticPodAPIReferences).
 */
export function apiReferences(podManifest: string): readonly string[] {
  const { documents, problems } = parseYamlDocuments(podManifest);
  const [document] = documents;
  if (document === undefined || problems.length > 0 || !isTree(document.value)) return [];
  const { spec } = document.value;
  return [...new Set(referencesIn(spec))];
}

function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isTree(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const kind = REFERENCES.get(key);
    if (kind === undefined) return referencesIn(inner);
    return isGiven(inner) ? [[kind, ...nameOf(inner)].join(' ')] : [];
  });
}

function isGiven(value: unknown): boolean {
  if (value === null || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}

function nameOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  const named = Array.isArray(value) ? value.find(isTree) : value;
  if (!isTree(named)) return [];
  return NAMES.flatMap((key) => (typeof named[key] === 'string' ? [named[key]] : [])).slice(0, 1);
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
