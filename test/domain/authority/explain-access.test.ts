import { describe, expect, it } from '@jest/globals';
import { ACCESS_ROLES, type AccessRole } from '../../../domain/authority/access-policy.js';
import { authoriseSigner } from '../../../domain/authority/authorise.js';
import { explainHandover, explainVerbs } from '../../../domain/authority/explain-access.js';
import { accessPolicy, testPrincipal } from '../../support/signing.js';

const said = (...roles: AccessRole[]) =>
  Object.fromEntries(
    explainVerbs(
      { ...testPrincipal('x'), grants: [{ roles, clusters: {}, fleets: null }] },
      { cluster: null, fleet: 'eu' },
    ).map(({ verb, target, allowed, why }) => [
      target === '' ? verb : `${verb} ${target}`,
      `${allowed ? 'yes' : 'no'}: ${why}`,
    ]),
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

  it('an operator starts runs toward KCM, and no others', () => {
    expect(said('operator')).toMatchObject({
      apply: 'no: takes requester or breakGlass',
      'apply kcm': 'yes: as operator',
      retry: 'yes: as operator',
    });
  });

  it('an approver who may also break the glass approves what it asked for itself', () => {
    expect(said('approver', 'breakGlass')).toMatchObject({
      approve: 'yes: as approver, and as breakGlass what it asked for itself',
    });
  });

  it('nothing but brakes once each of its keys is revoked, and no handover', () => {
    const ana = testPrincipal('ana', 'approver', 'operator');
    const gone = { ...ana, keys: ana.keys.map((key) => ({ ...key, revoked: true })) };
    const subject = { cluster: null, fleet: 'eu' };
    for (const { verb, allowed, why } of explainVerbs(gone, subject)) {
      const isBrake = why === 'a brake needs no signature';
      expect([verb, allowed]).toEqual([verb, isBrake]);
      if (!isBrake) expect(why).toBe('none of its keys signs any more');
    }
    expect(explainHandover(accessPolicy([gone]), subject).approvers).toEqual([]);
    const half = { ...ana, keys: [...gone.keys, ...ana.keys] };
    expect(explainHandover(accessPolicy([half]), subject).approvers).toEqual(['ana']);
  });
});

it('says of each verb, target and principal what workers say', () => {
  const subject = { cluster: { name: 'c1', labels: new Map([['region', 'eu']]) }, fleet: 'f' };
  for (const role of ACCESS_ROLES) {
    const principal = testPrincipal('x', role);
    for (const { verb, target, allowed, why } of explainVerbs(principal, subject)) {
      if (why === 'a brake needs no signature') continue;
      const signed = { statement: { verb, target }, by: principal, isRevoked: false };
      expect([verb, target, allowed]).toEqual([
        ...[verb, target],
        authoriseSigner(signed, subject, null).kind === 'authorised',
      ]);
    }
  }
});
