import { COMPONENTS } from '../../domain/controllers/names.js';
import type { AccessObject } from '../../domain/access-objects.js';
import type { AccessObservation, Presence } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { MANAGED_BY, MANAGED_BY_LABEL, SYSTEM_NAMESPACE } from '../../domain/rendering/paths.js';
import { accessObjects, managerUser } from '../ccm-access.js';
import { digestObject } from '../fence/object-digest.js';
import type { ApiObject, CallOptions, CollectionRef, KubernetesApi } from '../ports.js';
import { mayElectOn } from './access-reviews.js';

const RBAC = 'rbac.authorization.k8s.io/v1';

/** Our access objects by what they say, and whether the managers' real identities may use the migration Lease. */
export async function readAccess(
  api: KubernetesApi,
  policy: MigrationPolicy,
  options: CallOptions,
): Promise<AccessObservation> {
  const [ours, kcm, ccm] = await Promise.all([
    listOurs(api, policy.lock.namespace, options),
    mayElectOn(api, managerUser('kcm', policy), policy.lock, options),
    mayElectOn(api, managerUser('ccm', policy), policy.lock, options),
  ]);
  const plain = presenceOf(accessObjects('ccmAccess', policy, false), ours);
  const withTokens = presenceOf(accessObjects('ccmAccess', policy, true), ours);
  return {
    leaseGrant: presenceOf(accessObjects('leaseGrant', policy, false), ours),
    mayUseMigrationLease: { kcm, ccm },
    ccmAccess: withTokens === 'present' ? 'present' : plain,
  };
}

async function listOurs(
  api: KubernetesApi,
  namespace: string,
  options: CallOptions,
): Promise<readonly ApiObject[]> {
  const kinds: readonly CollectionRef[] = [
    ...['Role', 'RoleBinding'].map((kind) => ({ apiVersion: RBAC, kind, namespace })),
    ...['ClusterRole', 'ClusterRoleBinding'].map((kind) => ({ apiVersion: RBAC, kind })),
  ];
  const labelSelector = `${MANAGED_BY_LABEL}=${MANAGED_BY}`;
  const lists = await Promise.all(
    kinds.map(async (ref) => {
      const { items } = await api.list<ApiObject>(ref, { ...options, labelSelector });
      // Items of a list carry no kind of their own.
      return items.map((item) => ({ ...item, apiVersion: ref.apiVersion, kind: ref.kind }));
    }),
  );
  const account = await api.get<ApiObject>(CCM_ACCOUNT, options);
  return account === null
    ? lists.flat()
    : [...lists.flat(), { ...account.object, apiVersion: 'v1', kind: CCM_ACCOUNT.kind }];
}

/** A vendor's manifest may have made it already: it serves as well, and is not ours to remove. */
const CCM_ACCOUNT = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  namespace: SYSTEM_NAMESPACE,
  name: COMPONENTS.ccm,
};

/** `absent` when none of ours is there, `partial` when some are missing or say something else. */
export function presenceOf(wanted: readonly AccessObject[], found: readonly ApiObject[]): Presence {
  const named = wanted.map((object) => found.find((each) => isSame(each, object)));
  const isOurs = (each: ApiObject | undefined): boolean =>
    each?.metadata?.labels?.[MANAGED_BY_LABEL] === MANAGED_BY;
  if (!named.some(isOurs)) return 'absent';
  const right = wanted.every((object, index) => {
    const present = named[index];
    return present !== undefined && digestObject(present) === digestObject(object);
  });
  return right ? 'present' : 'partial';
}

function isSame(found: ApiObject, { kind, metadata }: AccessObject): boolean {
  return (
    found.kind === kind &&
    found.metadata?.name === metadata.name &&
    (found.metadata.namespace ?? '') === (metadata.namespace ?? '')
  );
}
