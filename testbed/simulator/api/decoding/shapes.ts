/**
 * Go types behind the JSON of the kinds that the product writes: what strict decoding (`fieldValidation=Strict`)
 * knows, and how errors name the type of a wrong value. For other kinds only the top-level members are known.
 * Source: k8s.io/api core/v1, coordination/v1, rbac/v1 types.go and k8s.io/apimachinery pkg/apis/meta/v1/types.go,
 * v0.30.
 */
export type Shape =
  | { readonly kind: 'scalar'; readonly json: 'string' | 'number' | 'boolean'; readonly go: string }
  | { readonly kind: 'time'; readonly layout: string }
  | { readonly kind: 'map'; readonly values: Shape }
  | { readonly kind: 'list'; readonly items: Shape; readonly go: string }
  | Struct
  /** Not inspected. */
  | { readonly kind: 'any' };

export interface Struct {
  readonly kind: 'struct';
  readonly go: string;
  readonly members: Readonly<Record<string, Shape>>;
}

const ANY: Shape = { kind: 'any' };
const TEXT: Shape = { kind: 'scalar', json: 'string', go: 'string' };
const SWITCH: Shape = { kind: 'scalar', json: 'boolean', go: 'bool' };
const INT32: Shape = { kind: 'scalar', json: 'number', go: 'int32' };
const INT64: Shape = { kind: 'scalar', json: 'number', go: 'int64' };
const TIME: Shape = { kind: 'time', layout: '2006-01-02T15:04:05Z07:00' };
const MICRO_TIME: Shape = { kind: 'time', layout: '2006-01-02T15:04:05.000000Z07:00' };
const TEXTS: Shape = { kind: 'list', items: TEXT, go: '[]string' };

function struct(go: string, members: Readonly<Record<string, Shape>>): Struct {
  return { kind: 'struct', go, members };
}

function list(items: Struct): Shape {
  return { kind: 'list', items, go: `[]v1.${items.go}` };
}

function textMap(): Shape {
  return { kind: 'map', values: TEXT };
}

const METADATA = struct('ObjectMeta', {
  name: TEXT,
  generateName: TEXT,
  namespace: TEXT,
  selfLink: TEXT,
  uid: { kind: 'scalar', json: 'string', go: 'types.UID' },
  resourceVersion: TEXT,
  generation: INT64,
  creationTimestamp: TIME,
  deletionTimestamp: TIME,
  deletionGracePeriodSeconds: INT64,
  labels: textMap(),
  annotations: textMap(),
  ownerReferences: ANY,
  finalizers: TEXTS,
  managedFields: ANY,
});

const RULES = list(
  struct('PolicyRule', {
    verbs: TEXTS,
    apiGroups: TEXTS,
    resources: TEXTS,
    resourceNames: TEXTS,
    nonResourceURLs: TEXTS,
  }),
);

const SUBJECT = struct('Subject', { kind: TEXT, apiGroup: TEXT, name: TEXT, namespace: TEXT });
const ROLE_REF = struct('RoleRef', { apiGroup: TEXT, kind: TEXT, name: TEXT });
const BINDING = { subjects: list(SUBJECT), roleRef: ROLE_REF };

const LEASE_SPEC = struct('LeaseSpec', {
  holderIdentity: TEXT,
  leaseDurationSeconds: INT32,
  acquireTime: MICRO_TIME,
  renewTime: MICRO_TIME,
  leaseTransitions: INT32,
});

const MEMBERS: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  ConfigMap: { immutable: SWITCH, data: textMap(), binaryData: textMap() },
  Lease: { spec: LEASE_SPEC },
  Role: { rules: RULES },
  ClusterRole: { rules: RULES, aggregationRule: ANY },
  RoleBinding: BINDING,
  ClusterRoleBinding: BINDING,
  ServiceAccount: { secrets: ANY, imagePullSecrets: ANY, automountServiceAccountToken: SWITCH },
};

/** Kinds whose spec and status are not inspected. */
const SPEC_AND_STATUS: ReadonlySet<string> = new Set([
  ...['Node', 'Pod', 'Namespace', 'Service', 'PersistentVolume'],
  ...['DaemonSet', 'Deployment', 'PodDisruptionBudget'],
]);

/** The shape of a kind's objects; null when the kind is not checked. */
export function shapeOf(kind: string): Struct | null {
  const known = MEMBERS[kind] ?? (SPEC_AND_STATUS.has(kind) ? { spec: ANY, status: ANY } : null);
  if (known === null) return null;
  return struct(kind, { apiVersion: TEXT, kind: TEXT, metadata: METADATA, ...known });
}
