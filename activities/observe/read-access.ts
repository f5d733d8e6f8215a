import type { AccessObject } from '../../domain/access-objects.js';
import { COMPONENTS } from '../../domain/controllers/names.js';
import type { AccessObservation, Presence } from '../../domain/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { MANAGED_BY, MANAGED_BY_LABEL, SYSTEM_NAMESPACE } from '../../domain/rendering/paths.js';
import { accessObjects, managerUser } from '../ccm-access.js';
import { objectName } from '../fence/find-effect.js';
import { digestObject } from '../fence/object-digest.js';
import type { ApiObject, CallOptions, CollectionRef, KubernetesApi } from '../ports.js';
import { mayElectOn } from './access-reviews.js';
import type { SlowPart, SlowParts } from './slow-parts.js';

const RBAC = 'rbac.authorization.k8s.io/v1';

type AccessParts = Pick<SlowParts, 'access' | 'accessObjects'>;

/** The content of our access objects, and whether the managers' real identities may use the migration Lease. */
export async function readAccess(
  api: KubernetesApi,
  policy: MigrationPolicy,
  carried: AccessParts,
  refresh: readonly SlowPart[],
  options: CallOptions,
): Promise<AccessParts> {
  const [grant, ccm] = [refresh.includes('leaseGrant'), refresh.includes('ccmAccess')];
  const mayUse = refresh.includes('rights')
    ? await readRights(api, policy, options)
    : carried.access.mayUseMigrationLease;
  const access = { ...carried.access, mayUseMigrationLease: mayUse };
  if (!grant && !ccm) return { access, accessObjects: carried.accessObjects };
  const namespaced = namespacesOf(policy, ccm).flatMap((namespace) =>
    ['Role', 'RoleBinding'].map((kind) => ({ apiVersion: RBAC, kind, namespace })),
  );
  const wide = ['ClusterRole', 'ClusterRoleBinding'].map((kind) => ({ apiVersion: RBAC, kind }));
  const [ours, account] = await Promise.all([
    listOurs(api, ccm ? [...namespaced, ...wide] : namespaced, options),
    ccm ? readAccount(api, options) : [],
  ]);
  const found = [...ours, ...account];
  // Only the whole list can prove that something is absent.
  const known = ccm ? [] : carried.accessObjects;
  return {
    access: {
      ...access,
      leaseGrant: presenceOf(accessObjects('leaseGrant', policy, false), found),
      ...(ccm ? { ccmAccess: ccmPresence(policy, found) } : {}),
    },
    accessObjects: known === null ? null : new Set([...known, ...found.map(nameInEvidence)]),
  };
}

/** Namespaces of our Roles: that of the locks first, then those where the CCM has namespaced rights. */
function namespacesOf(policy: MigrationPolicy, ccm: boolean): readonly string[] {
  const objects = ccm ? accessObjects('ccmAccess', policy, true) : [];
  const placed = objects.flatMap(({ kind, metadata: { namespace } }) =>
    kind.startsWith('Role') && namespace !== undefined ? [namespace] : [],
  );
  return [...new Set([policy.lock.namespace, ...placed])];
}

async function readRights(
  api: KubernetesApi,
  policy: MigrationPolicy,
  options: CallOptions,
): Promise<AccessObservation['mayUseMigrationLease']> {
  const [kcm, ccm] = await Promise.all([
    mayElectOn(api, managerUser('kcm', policy), policy.lock, options),
    mayElectOn(api, managerUser('ccm', policy), policy.lock, options),
  ]);
  return { kcm, ccm };
}

/** Whether it has the rights for tokens of its controllers depends on the CCM's flags: both forms count as complete. */
function ccmPresence(policy: MigrationPolicy, found: readonly ApiObject[]): Presence {
  const withTokens = presenceOf(accessObjects('ccmAccess', policy, true), found);
  if (withTokens === 'present') return withTokens;
  return presenceOf(accessObjects('ccmAccess', policy, false), found);
}

async function listOurs(
  api: KubernetesApi,
  kinds: readonly CollectionRef[],
  options: CallOptions,
): Promise<readonly ApiObject[]> {
  const labelSelector = `${MANAGED_BY_LABEL}=${MANAGED_BY}`;
  const lists = await Promise.all(
    kinds.map(async (ref) => {
      const { items } = await api.list<ApiObject>(ref, { ...options, labelSelector });
      // Items of a list carry no kind of their own.
      return items.map((item) => ({ ...item, apiVersion: ref.apiVersion, kind: ref.kind }));
    }),
  );
  return lists.flat();
}

/** A vendor's manifest may have made the account already: it serves as well, and is not ours to remove. */
async function readAccount(
  api: KubernetesApi,
  options: CallOptions,
): Promise<readonly ApiObject[]> {
  const ref = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: SYSTEM_NAMESPACE };
  const found = await api.get<ApiObject>({ ...ref, name: COMPONENTS.ccm }, options);
  return found === null ? [] : [{ ...found.object, apiVersion: ref.apiVersion, kind: ref.kind }];
}

/** `absent` when none of ours exists, `partial` when some are missing or differ. */
function presenceOf(wanted: readonly AccessObject[], found: readonly ApiObject[]): Presence {
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

/** The name of an API object in evidence. */
export function nameInEvidence({ kind = '', metadata }: ApiObject): string {
  const { name = '', namespace } = metadata ?? {};
  return objectName({ kind, name, ...(namespace === undefined ? {} : { namespace }) });
}
