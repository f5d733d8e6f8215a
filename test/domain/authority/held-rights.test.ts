import { describe, expect, it } from '@jest/globals';
import { type AccessGrant, rolesOf } from '../../../domain/authority/access-policy.js';
import { withEveryKey, withEveryLabel } from '../../../domain/authority/held-rights.js';
import { accessPolicy, testPrincipal } from '../../support/signing.js';

const ANA = testPrincipal('ana', 'requester');
const about = (name: string) => ({
  cluster: { name, labels: new Map<string, string>() },
  fleet: '',
});
const labels = { region: 'eu' };

describe('what a policy allows', () => {
  it('is told as if no key had been revoked', () => {
    const keys = ANA.keys.map((key) => ({ ...key, revoked: true }));
    const [ana] = withEveryKey(accessPolicy([{ ...ANA, keys }])).principals;
    expect(ana?.keys).toEqual(ANA.keys);
  });

  it.each<[string, AccessGrant['clusters'], readonly string[]]>([
    ['no cluster named', {}, ['requester']],
    ['labels', { labels }, ['requester']],
    ['labels, and this name', { labels, names: ['c1'] }, ['requester']],
    ['labels, and another name', { labels, names: ['c2'] }, []],
    ['another name', { names: ['c2'] }, []],
  ])('by a grant with %s is told as if a cluster had each label', (_case, clusters, roles) => {
    const policy = accessPolicy([
      { ...ANA, grants: [{ roles: ['requester'], clusters, fleets: null }] },
    ]);
    const [ana] = withEveryLabel(policy, 'c1').principals;
    if (ana === undefined) throw new Error('no principal');
    expect(rolesOf(ana, about('c1'))).toEqual(roles);
  });

  it('of all of a fleet goes by no labels of clusters', () => {
    const grants = [{ roles: ['requester'] as const, clusters: { labels }, fleets: null }];
    const [ana] = withEveryLabel(accessPolicy([{ ...ANA, grants }]), 'c1').principals;
    if (ana === undefined) throw new Error('no principal');
    expect(rolesOf(ana, { cluster: null, fleet: 'prod' })).toEqual([]);
  });
});
