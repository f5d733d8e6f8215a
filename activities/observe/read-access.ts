import type { AccessObject } from '../../domain/access/access-objects.js';
import { ccmAccessNeeds } from '../../domain/access/access-objects.js';
import type { AccessReviewSpec } from '../../domain/access/access-reviews.js';
import { leaseReviews } from '../../domain/access/access-reviews.js';
import { ccmRights } from '../../domain/access/ccm-rights.js';
import { COMPONENTS } from '../../domain/managers/controller-names.js';
import { MANAGED_BY, MANAGED_BY_LABEL, SYSTEM_NAMESPACE } from '../../domain/manifests/paths.js';
import type {
  AccessObservation,
  ClusterObservation,
  Presence,
} from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { LeaseRef, Tristate } from '../../domain/vocabulary.js';
import { accessObjects, managerUser, usesAccountTokens } from '../ccm-access.js';
import { failureTypeOf } from '../failures.js';
import { objectName } from '../fence/find-effect.js';
import { digestObject } from '../object-digest.js';
import type { ApiObject, CallOptions, CollectionRef, KubernetesApi } from '../ports.js';
import type { CachedRead, CachedReads } from './cached-reads.js';

const RBAC = 'rbac.authorization.k8s.io/v1';

type AccessParts = Pick<CachedReads, 'access' | 'accessObjects'>;

/** The content of our access objects, and whether the managers' real identities may use the migration Lease. */
export async function readAccess(
  api: KubernetesApi,
  policy: MigrationPolicy,
  carried: AccessParts,
  refresh: readonly CachedRead[],
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

interface AccessReview extends ApiObject {
  readonly spec: AccessReviewSpec;
  readonly status?: { readonly allowed?: boolean };
}

/**
 * Whether an identity may take part in an election on this Lease, checked by SubjectAccessReviews, which change nothing.
 * `unknown` when we may not create them.
 */
export async function mayElectOn(
  api: KubernetesApi,
  user: string,
  lease: LeaseRef,
  options: CallOptions,
): Promise<Tristate> {
  try {
    // One denial is enough, so they are sent one after the other.
    for (const spec of [...leaseReviews(user, lease)].reverse()) {
      if (!(await isAllowed(api, spec, options))) return 'no';
    }
    return 'yes';
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Forbidden' || type === 'NotSupported') return 'unknown';
    throw error;
  }
}

/** The API server's answer to one question. */
async function isAllowed(
  api: KubernetesApi,
  spec: AccessReviewSpec,
  options: CallOptions,
): Promise<boolean> {
  const answer = await api.create<AccessReview>(
    { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
    options,
  );
  return answer.status?.allowed === true;
}

/** What the CCM must be able to do: the rights that its policy and its flags make it need. */
export interface CcmRightsQuestion {
  readonly policy: MigrationPolicy;
  readonly serviceAccountCredentials: boolean;
}

/**
 * Descriptions of the rights that the CCM's identity lacks, checked by SubjectAccessReviews, which change nothing. Null when
 * we may not create them.
 */
export async function readCcmDenied(
  api: KubernetesApi,
  { policy, serviceAccountCredentials }: CcmRightsQuestion,
  options: CallOptions,
): Promise<readonly string[] | null> {
  const needs = ccmAccessNeeds(policy, serviceAccountCredentials);
  const rights = ccmRights(managerUser('ccm', policy), needs);
  try {
    const allowed = await Promise.all(rights.map(({ review }) => isAllowed(api, review, options)));
    return rights.flatMap(({ words }, index) => (allowed[index] === true ? [] : [words]));
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Forbidden' || type === 'NotSupported') return null;
    throw error;
  }
}

/** The same, once our grant exists: before it the CCM lacks everything, and the run itself grants it. */
export async function deniedToGranted(
  api: KubernetesApi,
  { policy, ccmManifest = '', observation }: GrantedRights,
  options: CallOptions,
): Promise<readonly string[] | null> {
  if (observation.access.ccmAccess !== 'present') return null;
  const serviceAccountCredentials = usesAccountTokens(ccmManifest);
  return readCcmDenied(api, { policy, serviceAccountCredentials }, options);
}

export interface GrantedRights {
  readonly policy: MigrationPolicy;
  readonly ccmManifest?: string;
  readonly observation: Pick<ClusterObservation, 'access'>;
}
