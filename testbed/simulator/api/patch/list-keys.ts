/**
 * Lists that merge by a key, from the patchMergeKey tags of k8s.io/api (core/v1 and meta/v1 types.go).
 * Every other list is replaced as a whole. `ports` differs between containers and Services.
 */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  ports: ['containerPort', 'port'],
  imagePullSecrets: ['name'],
  secrets: ['name'],
  hostAliases: ['ip'],
  conditions: ['type'],
  addresses: ['type'],
  ownerReferences: ['uid'],
};

/** Lists of plain values that merge as sets. */
const SETS: ReadonlySet<string> = new Set(['finalizers', 'podCIDRs']);

/** The member that identifies items of a list; null when the list is replaced as a whole. */
export function mergeKey(field: string, items: readonly unknown[]): string | null {
  const candidates = Object.hasOwn(MERGE_KEYS, field) ? (MERGE_KEYS[field] ?? []) : [];
  const has = (key: string): boolean =>
    items.every((item) => typeof item === 'object' && item !== null && key in item);
  return candidates.find(has) ?? candidates[0] ?? null;
}

export function mergesAsSet(field: string): boolean {
  return SETS.has(field);
}
