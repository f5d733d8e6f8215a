import type { AccessRule, CcmAccessNeeds } from './access-objects.js';
import { ccmNamespacedRules, ccmRules } from './access-objects.js';
import type { LeaseRef } from '../vocabulary.js';

const SYSTEM_NAMESPACE = 'kube-system';

/** One question to the API server: may this user do that? Body of a SubjectAccessReview's `spec`. */
export interface AccessReviewSpec {
  readonly user: string;
  readonly groups: readonly string[];
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

/** The reviews that prove that a user can hold a Lease: get and update on it, create on leases. */
export function leaseReviews(
  user: string,
  { namespace, name }: LeaseRef,
): readonly AccessReviewSpec[] {
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace };
  return [
    review(user, { ...lease, verb: 'create' }),
    review(user, { ...lease, verb: 'get', name }),
    review(user, { ...lease, verb: 'update', name }),
  ];
}

/**
 * The reviews that prove the full access of a CCM running as this user: every verb of every rule, and its main lock.
 */
export function ccmAccessReviews(user: string, needs: CcmAccessNeeds): readonly AccessReviewSpec[] {
  return [
    ...ccmRules(needs).flatMap((one) => ruleReviews(user, one)),
    ...leaseReviews(user, needs.mainLock),
    ...ccmNamespacedRules(needs).flatMap(({ namespace, rules }) =>
      rules.flatMap((one) => ruleReviews(user, one, namespace)),
    ),
  ];
}

function ruleReviews(
  user: string,
  { apiGroups, resources, resourceNames, verbs }: AccessRule,
  namespace?: string,
): readonly AccessReviewSpec[] {
  const names = resourceNames ?? [''];
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) =>
      names.flatMap((name) =>
        verbs.map((verb) => review(user, { ...attributes(group, path, name, namespace), verb })),
      ),
    ),
  );
}

/** A named object is in kube-system unless the rule applies to another namespace. */
function attributes(
  group: string,
  path: string,
  name: string,
  namespace = name === '' ? undefined : SYSTEM_NAMESPACE,
): Readonly<Record<string, string>> {
  const at = path.indexOf('/');
  const resource = at === -1 ? path : path.slice(0, at);
  const subresource = at === -1 ? undefined : path.slice(at + 1);
  return {
    group,
    resource,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/**
 * Groups of an authenticated user; service accounts are in two more. Source: apiserver serviceaccount MakeGroupNames.
 */
export function review(
  user: string,
  resourceAttributes: Readonly<Record<string, string>>,
): AccessReviewSpec {
  const namespace = /^system:serviceaccount:([^:]+):/.exec(user)?.[1];
  const own =
    namespace === undefined
      ? []
      : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { user, groups: [...own, 'system:authenticated'], resourceAttributes };
}

/** The bootstrap Role that the official guide patches. Source: kubernetes/website controller-manager-leader-migration. */
export const GUIDE_ROLE = 'system::leader-locking-kube-controller-manager';

/**
 * Whether a role's rules carry the guide's patch: the migration Lease by name, with `create` bound to that
 * name, which authorises nothing. Source: kubernetes/website controller-manager-leader-migration.
 */
export function showsGuidePatch(
  rules: readonly AccessRule[],
  lock: Pick<LeaseRef, 'name'>,
): boolean {
  return rules.some(
    ({ resourceNames = [], verbs }) =>
      resourceNames.includes(lock.name) && verbs.includes('create'),
  );
}
