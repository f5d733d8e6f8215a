import { describe, expect, it } from '@jest/globals';
import type { AccessPrincipal, AccessRole } from '../../../domain/authority/access-policy.js';
import type { SignedStatement } from '../../../domain/authority/authorise.js';
import type { SignedWave } from '../../../domain/authority/member-tree.js';
import { type Statement, wholeStatement } from '../../../domain/authority/statement.js';
import { countedApprovals, unapprovedWave } from '../../../domain/fleet/wave-approvals.js';
import { digestJson } from '../../../domain/digest.js';
import type { FleetOrder, FleetScope } from '../../../domain/fleet/fleet-command.js';

const principal = (name: string, ...roles: AccessRole[]): AccessPrincipal => ({
  ...{ name, keys: [], grants: [{ roles, clusters: {}, fleets: null }] },
});
const ANA = principal('ana', 'requester', 'approver');
const [BEN, CY] = [principal('ben', 'approver'), principal('cy', 'breakGlass')];
const OPS = principal('ops', 'operator');

const signed = (by: AccessPrincipal, changes: Partial<Statement>): SignedStatement => ({
  ...{ digest: `sha256:${by.name}`, by, isRevoked: false },
  statement: wholeStatement({
    ...{ verb: 'approve', workflowId: 'fleet-migration/eu', fleet: 'eu', runId: 'fleet-run' },
    ...{ nonce: 'n', notBefore: 1000, notAfter: 2000, ...changes },
  }),
});
const START = signed(ANA, { verb: 'apply', plan: 'sha256:plan', runId: '' });
const WAVE: SignedWave = { index: 1, revision: 1, before: 2, approvers: null };

type Order = Extract<FleetOrder, { verb: 'approve' }>;
const ORDER: Order = {
  ...{ verb: 'approve', subject: { kind: 'before', wave: 1 } },
  ...{ planDigest: 'sha256:plan', revision: 1 },
};
const subject = (
  changes: Partial<Order> = {},
  scope: FleetScope = { kind: 'wave', wave: 1 },
): string => digestJson({ scope, order: { ...ORDER, ...changes } });
const approval = (by: AccessPrincipal, changes: Partial<Statement> = {}): SignedStatement =>
  signed(by, { subject: subject(), ...changes });

const counted = (
  approvals: readonly SignedStatement[],
  wave: Partial<SignedWave> = {},
  start = START,
): readonly string[] =>
  countedApprovals(start, { ...WAVE, ...wave }, approvals).map(
    ({ by, role }) => `${by.name} ${role}`,
  );

describe('approvals of a wave', () => {
  it('count once for each person', () => {
    const twice = approval(BEN, { nonce: 'n2' });
    expect(counted([approval(BEN), twice, approval(CY)])).toEqual([
      'ben approver',
      'cy breakGlass',
    ]);
  });

  it('of who asked count only where they break the glass, which is told by the role', () => {
    expect(counted([approval(ANA)])).toEqual([]);
    const start = signed(CY, { verb: 'apply', plan: 'sha256:plan', runId: '' });
    expect(counted([approval(CY)], {}, start)).toEqual(['cy breakGlass']);
  });

  it('are of the fleet as a whole, too', () => {
    const whole = approval(BEN, { subject: subject({}, { kind: 'fleet' }) });
    expect(counted([whole])).toEqual(['ben approver']);
  });

  it('count where the plan names their people, however it spells them', () => {
    expect(counted([approval(BEN)], { approvers: ['Ben '] })).toEqual(['ben approver']);
    expect(counted([approval(BEN)], { approvers: ['cy'] })).toEqual([]);
  });

  it.each<[string, SignedStatement]>([
    ['who has another role', approval(OPS)],
    ['whose key was revoked', { ...approval(BEN), isRevoked: true }],
    [
      'for another wave',
      approval(BEN, { subject: subject({ subject: { kind: 'before', wave: 2 } }) }),
    ],
    ['of its end', approval(BEN, { subject: subject({ subject: { kind: 'after', wave: 1 } }) })],
    ['of another plan', approval(BEN, { subject: subject({ planDigest: 'sha256:other' }) })],
    ['of another revision', approval(BEN, { subject: subject({ revision: 2 }) })],
    ['for a few clusters', approval(BEN, { subject: subject({}, { kind: 'rows', rows: [1] }) })],
    ['of another fleet', approval(BEN, { fleet: 'us' })],
    ['that another workflow was given', approval(BEN, { workflowId: 'fleet-migration/us' })],
    ['that an earlier fleet of its name was given', approval(BEN, { notBefore: 900 })],
    ['that is another command', approval(BEN, { verb: 'reject' })],
  ])('of one %s do not', (_, given) => {
    expect(counted([given])).toEqual([]);
  });

  it('of the run that a new plan is for count, although they are older than the plan', () => {
    const revise = signed(ANA, { verb: 'revise', plan: 'sha256:plan', notBefore: 1500 });
    const asRevised = { ...revise, statement: { ...revise.statement, runId: 'fleet-run' } };
    const old = approval(BEN, { notBefore: 1 });
    expect(counted([old], {}, asRevised)).toEqual(['ben approver']);
  });

  it('that were over before the plan could be taken do not, give or take a minute', () => {
    const at = (notBefore: number) =>
      counted([approval(BEN)], {}, signed(ANA, { verb: 'revise', plan: 'sha256:plan', notBefore }));
    expect([at(2060), at(2061)]).toEqual([['ben approver'], []]);
  });

  it('must be as many as the wave demands', () => {
    expect(unapprovedWave(WAVE, 2)).toBeNull();
    expect(unapprovedWave(WAVE, 1)).toBe(
      'wave 2 of its fleet has signed approvals of 1 of 2 people',
    );
  });
});
