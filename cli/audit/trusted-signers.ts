import { ACCESS_ROLES, type AccessPolicy } from '../../domain/authority/access-policy.js';
import { withEveryKey } from '../../domain/authority/held-rights.js';

/**
 * The same people and keys, each with every role everywhere, revoked since or not: the trust of an audit says whose keys these
 * are. Only who may break the glass keeps that apart, or an approval of one's own request would pass.
 */
export function trustedSigners(trust: AccessPolicy): AccessPolicy {
  const ordinary = ACCESS_ROLES.filter((role) => role !== 'breakGlass');
  const access = withEveryKey(trust);
  return {
    ...access,
    handoverApproval: 'asPolicy',
    principals: access.principals.map(({ name, keys, grants }) => {
      const breaks = grants.some(({ roles }) => roles.includes('breakGlass'));
      return {
        name,
        keys,
        grants: [{ roles: breaks ? ACCESS_ROLES : ordinary, clusters: {}, fleets: null }],
      };
    }),
  };
}
