import { ACCESS_ROLES, type AccessPolicy } from '../../domain/authority/access-policy.js';

/**
 * The same people and keys, each with every role everywhere, revoked since or not: the trust of an audit says whose keys these
 * are. Only who may break the glass keeps that apart, or an approval of one's own request would pass.
 */
export function trustedSigners(trust: AccessPolicy): AccessPolicy {
  const ordinary = ACCESS_ROLES.filter((role) => role !== 'breakGlass');
  return {
    ...trust,
    handoverApproval: 'asPolicy',
    principals: trust.principals.map(({ name, keys, grants }) => {
      const breaks = grants.some(({ roles }) => roles.includes('breakGlass'));
      return {
        name,
        keys: keys.map((key) => ({ ...key, revoked: false })),
        grants: [{ roles: breaks ? ACCESS_ROLES : ordinary, clusters: {}, fleets: null }],
      };
    }),
  };
}
