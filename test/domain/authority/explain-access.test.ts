import { describe, expect, it } from '@jest/globals';
import type { AccessRole } from '../../../domain/authority/access-policy.js';
import { explainHandover, explainVerbs } from '../../../domain/authority/explain-access.js';
import { accessPolicy, testPrincipal } from '../../support/signing.js';

const said = (...roles: AccessRole[]) =>
  Object.fromEntries(
    explainVerbs(
      { name: 'x', keys: [], grants: [{ roles, clusters: {}, fleets: null }] },
      { cluster: null, fleet: 'eu' },
    ).map(({ verb, allowed, why }) => [verb, `${allowed ? 'yes' : 'no'}: ${why}`]),
  );

it('who may approve a handover is said of the cluster that it is about', () => {
  const eu = testPrincipal('ben', 'approver');
  const policy = accessPolicy(
    [
      testPrincipal('ana', 'requester', 'operator'),
      {
        ...eu,
        grants: [{ roles: ['approver'], clusters: { labels: { region: 'eu' } }, fleets: null }],
      },
      testPrincipal('cho', 'breakGlass'),
    ],
    { handoverQuorum: 2 },
  );
  const on = (region: string) =>
    explainHandover(policy, {
      cluster: { name: 'c1', labels: new Map([['region', region]]) },
      fleet: '',
    });
  expect(on('eu')).toEqual({ quorum: 2, approvers: ['ben', 'cho'] });
  expect(on('us')).toEqual({ quorum: 2, approvers: ['cho'] });
});

describe('what a principal may ask for', () => {
  it('an approver approves what others asked for, and stops what it likes', () => {
    expect(said('approver')).toMatchObject({
      approve: 'yes: as approver, not what it asked for itself',
      pause: 'yes: a brake needs no signature',
      retry: 'no: takes operator or breakGlass',
      apply: 'no: takes requester or breakGlass',
    });
  });

  it('who breaks the glass may do everything, and it shows', () => {
    expect(said('breakGlass')).toMatchObject({
      approve: 'yes: as breakGlass',
      rollBack: 'yes: as breakGlass',
    });
  });
});
