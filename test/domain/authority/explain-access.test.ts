import { describe, expect, it } from '@jest/globals';
import type {
  AccessPrincipal,
  AccessRole,
  AccessSubject,
} from '../../../domain/authority/access-policy.js';
import { explainHandover, explainVerbs } from '../../../domain/authority/explain-access.js';
import { accessPolicy, testPrincipal } from '../../support/signing.js';

const FLEET: AccessSubject = { cluster: null, fleet: 'eu' };
const CLUSTER: AccessSubject = { cluster: { name: 'c1', labels: new Map() }, fleet: '' };

const revoked = (principal: AccessPrincipal): AccessPrincipal => ({
  ...principal,
  keys: principal.keys.map((key) => ({ ...key, revoked: true })),
});

const said = (...roles: AccessRole[]) => explained(testPrincipal('x', ...roles), FLEET);
const explained = (principal: AccessPrincipal, subject: AccessSubject) =>
  Object.fromEntries(
    explainVerbs(principal, subject).map(({ verb, allowed, why }) => [
      verb,
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

it('who has no key that counts approves no handover', () => {
  const [ben, cho] = [testPrincipal('ben', 'approver'), testPrincipal('cho', 'approver')];
  const policy = accessPolicy([ben, revoked(cho)], { handoverQuorum: 2 });
  expect(explainHandover(policy, CLUSTER)).toEqual({ quorum: 2, approvers: ['ben'] });
});

describe('what a principal may ask for', () => {
  it('an operator starts runs of a cluster toward KCM, and of a fleet none', () => {
    const operator = testPrincipal('x', 'operator');
    expect(explained(operator, CLUSTER)['apply']).toBe('yes: as operator, toward KCM only');
    expect(explained(operator, FLEET)['apply']).toBe('no: takes requester or breakGlass');
    expect(explained(operator, CLUSTER)['approve']).toBe('no: takes approver or breakGlass');
  });

  it('who has no key that counts may pull the brake and nothing else', () => {
    const verbs = explained(revoked(testPrincipal('x', 'breakGlass')), CLUSTER);
    expect(verbs).toMatchObject({
      pause: 'yes: a brake needs no signature',
      retry: 'no: its keys are revoked',
      approve: 'no: its keys are revoked',
    });
  });

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
