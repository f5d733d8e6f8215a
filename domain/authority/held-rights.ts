import type { AccessPolicy, AccessPrincipal } from './access-policy.js';

/** The policy by its roles alone: keys that were revoked since count, as they signed before. */
export function withEveryKey(access: AccessPolicy): AccessPolicy {
  const principals = access.principals.map(({ keys, ...rest }) => ({
    ...rest,
    keys: keys.map((key) => ({ ...key, revoked: false })),
  }));
  return { ...access, principals };
}

/** The policy as if this cluster had each label that a grant asks for: what it allows beyond the policy hangs on labels. */
export function withEveryLabel(access: AccessPolicy, cluster: string): AccessPolicy {
  return { ...access, principals: access.principals.map((each) => everyLabel(each, cluster)) };
}

/** The principal of the same. Its grants become none for a fleet as a whole, of which labels of clusters say nothing. */
export function everyLabel(principal: AccessPrincipal, cluster: string): AccessPrincipal {
  const grants = principal.grants.map((grant) => {
    const { names = [cluster], labels } = grant.clusters;
    return labels === undefined ? grant : { ...grant, clusters: { names } };
  });
  return { ...principal, grants };
}
