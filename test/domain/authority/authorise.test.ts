import { describe, expect, it } from '@jest/globals';
import type {
  AccessPolicy,
  AccessPrincipal,
  AccessRole,
} from '../../../domain/authority/access-policy.js';
import { oidcKeyId, principalOfKey, rolesOf } from '../../../domain/authority/access-policy.js';
import {
  type GivenCommand,
  type GivenRun,
  type SignedStatement,
  authoriseCommand,
  authoriseStart,
  isMadeInTime,
  isOfFleetRun,
  untimely,
} from '../../../domain/authority/authorise.js';
import { digestText } from '../../../domain/digest.js';
import { memberLevels, memberProof, membersRoot } from '../../../domain/authority/member-tree.js';
import { type Statement, wholeStatement } from '../../../domain/authority/statement.js';

const EVERYWHERE = { clusters: {}, fleets: null };
const principal = (name: string, ...roles: AccessRole[]): AccessPrincipal => ({
  name,
  keys: [{ keyId: `key-${name}`, spki: '', revoked: false }],
  grants: [{ roles, ...EVERYWHERE }],
});
const ANA = principal('ana', 'requester');
const ACCESS: AccessPolicy = {
  ...{
    name: 'access',
    version: 1,
    handoverApproval: 'asPolicy',
    handoverQuorum: 1,
    principals: [ANA],
    workers: [],
    logs: [],
  },
  digest: 'sha256:policy',
  longestValiditySeconds: { run: 3600, fleet: 86_400 },
};
const CLUSTER = { name: 'prod-1', labels: new Map([['region', 'eu']]) };

const statement = (changes: Partial<Statement> = {}): Statement =>
  wholeStatement({
    ...{ verb: 'apply', workflowId: 'w', nonce: 'n', notBefore: 1000, notAfter: 2000 },
    ...{ cluster: 'uid-1', policy: 'p', materials: 'm', timings: 't', target: 'ccm' },
    ...changes,
  });
const signed = (
  changes: Partial<Statement> = {},
  by = ANA,
  isRevoked = false,
): SignedStatement => ({
  ...{ statement: statement(changes), digest: 'sha256:1', by, isRevoked },
});
const RUN: GivenRun = {
  ...{ uid: 'uid-1', cluster: CLUSTER, workflowId: 'w', policy: 'p', timings: 't' },
  ...{ materials: 'm', takeOver: '', member: null },
};

describe('a run of one cluster', () => {
  it.each<[string, Partial<GivenRun>]>([
    ['as it was signed', {}],
    ['whose materials an activity does not have', { materials: null }],
    ['whose take-over an activity does not know', { takeOver: null }],
  ])('%s is carried out', (_, change) => {
    expect(authoriseStart(signed(), { ...RUN, ...change }, 'inFull')).toEqual({
      ...{ kind: 'authorised', principal: 'ana', role: 'requester' },
    });
  });

  it.each<[string, Partial<GivenRun>, string]>([
    ['of another cluster', { uid: 'uid-2' }, 'cluster'],
    ['of another workflow', { workflowId: 'whatever' }, 'workflowId'],
    ['by another policy', { policy: 'q' }, 'policy'],
    ['with other timings', { timings: 'u' }, 'timings'],
    ['with another manifest', { materials: 'n' }, 'materials'],
    ['that takes over', { takeOver: 'it hangs' }, 'takeOver'],
  ])('%s is not', (_, change, what) => {
    const found = authoriseStart(signed(), { ...RUN, ...change }, 'inFull');
    expect(found).toEqual({ kind: 'refused', why: `its field ${what} is not what was signed` });
  });

  it('is not begun by a command', () => {
    const found = authoriseStart(signed({ verb: 'retry' }), RUN, 'inFull');
    expect(found).toMatchObject({ kind: 'refused', why: 'it does not start a run' });
  });

  it('is not begun by who has another role, and its rescue needs none', () => {
    const ben = signed({}, principal('ben', 'operator'));
    expect(authoriseStart(ben, RUN, 'inFull')).toMatchObject({
      why: 'ben may not apply here: it takes the role requester',
    });
    expect(authoriseStart(ben, RUN, 'rescue')).toMatchObject({ kind: 'authorised' });
  });

  it('is not begun by a key that was revoked, and its rescue goes on', () => {
    const revoked = signed({}, ANA, true);
    expect(authoriseStart(revoked, RUN, 'inFull')).toMatchObject({ why: 'its key was revoked' });
    expect(authoriseStart(revoked, RUN, 'rescue')).toMatchObject({ kind: 'authorised' });
  });

  it('says each role that would do', () => {
    const back = signed({ target: 'kcm' }, principal('cy', 'approver'));
    expect(authoriseStart(back, RUN, 'inFull')).toMatchObject({
      why: 'cy may not apply here: it takes the role requester or operator',
    });
  });
});

describe('a member of a fleet', () => {
  const leaves = ['uid-1', 'uid-2', 'uid-3'].map((cluster) => ({
    ...{ cluster, policy: 'p', materials: 'm', timings: 't' },
  }));
  const levels = memberLevels(leaves);
  const fleet = { fleet: 'eu', cluster: '', members: membersRoot(levels), workflowId: 'fleet/eu' };
  const member = { grant: 1, materials: 'm', proof: memberProof(levels, 0) };
  const inFleet = { ...RUN, member };

  it.each(['apply', 'revise'] as const)('is carried out by the statement to %s', (verb) => {
    const found = authoriseStart(signed({ ...fleet, verb }), inFleet, 'inFull');
    expect(found).toMatchObject({ kind: 'authorised', principal: 'ana' });
    const blind = authoriseStart(
      signed({ ...fleet, verb }),
      { ...inFleet, materials: null },
      'inFull',
    );
    expect(blind).toMatchObject({ kind: 'authorised' });
  });

  it.each<[string, Partial<GivenRun>, Partial<Statement>, string]>([
    ['of another cluster', { uid: 'uid-9' }, {}, 'does not cover this cluster'],
    ['by another policy', { policy: 'q' }, {}, 'does not cover this cluster'],
    ['with another manifest', { materials: 'n' }, {}, 'its field materials is not'],
    ['that takes over', { takeOver: 'x' }, {}, 'its field takeOver is not'],
    ['of a statement for one cluster', {}, { fleet: '' }, 'not the statement of a fleet'],
    ['of a command', {}, { verb: 'retry' }, 'does not start a run'],
  ])('%s is not', (_, change, said, why) => {
    const found = authoriseStart(
      signed({ ...fleet, ...said }),
      { ...inFleet, ...change },
      'inFull',
    );
    expect(found).toMatchObject({ kind: 'refused', why: expect.stringContaining(why) });
  });
});

describe('a member of a fleet whose statement says what its wave demands', () => {
  const wave = { index: 1, revision: 1, before: 2, approvers: null };
  const levels = memberLevels([
    { cluster: 'uid-1', policy: 'p', materials: 'm', timings: 't', wave },
  ]);
  const start = signed({ fleet: 'eu', cluster: '', members: membersRoot(levels) });
  const member = { grant: 1, materials: 'm', proof: memberProof(levels, 0) };

  it('is carried out with just that', () => {
    const run = { ...RUN, member: { ...member, wave } };
    expect(authoriseStart(start, run, 'inFull')).toMatchObject({ kind: 'authorised' });
  });

  it.each<[string, Partial<NonNullable<GivenRun['member']>>]>([
    ['without', {}],
    ['with fewer people', { wave: { ...wave, before: 0 } }],
    ['as of another wave', { wave: { ...wave, index: 0 } }],
  ])('%s is not', (_, change) => {
    const run = { ...RUN, member: { ...member, ...change } };
    expect(authoriseStart(start, run, 'inFull')).toMatchObject({
      why: expect.stringContaining('does not cover this cluster'),
    });
  });
});

describe('the time of a statement', () => {
  it.each<[string, Partial<Statement>, number, string | null]>([
    ['within it', {}, 1500, null],
    ['at its end', {}, 2000, null],
    ['after it', {}, 2000.5, 'it has expired'],
    ['a minute early, as clocks are', {}, 940, null],
    ['before it', {}, 939, 'it is not valid yet'],
    ['for longer than a run may', { notAfter: 4601 }, 1500, 'longer than 3600 s'],
    ['for as long as a fleet may', { notAfter: 4601, fleet: 'eu' }, 1500, null],
    ['of a new plan', { notAfter: 4601, fleet: 'eu', verb: 'revise' }, 1500, null],
    [
      'of a command to a fleet',
      { notAfter: 4601, fleet: 'eu', verb: 'retry' },
      1500,
      'longer than',
    ],
  ])('%s', (_, change, seconds, why) => {
    const found = untimely(ACCESS, statement(change), seconds * 1000);
    expect(found).toEqual(why === null ? null : expect.stringContaining(why));
  });
});

describe('a token that signs', () => {
  it.each<[string, number, boolean]>([
    ['a minute before the statement, by the clock of another', 940, true],
    ['earlier', 939, false],
    ['within its time', 1500, true],
    ['at its end', 2000, true],
    ['after its end', 2001, false],
  ])('was made in time: %s', (_, issuedAt, expected) => {
    expect(isMadeInTime(statement(), issuedAt)).toBe(expected);
  });

  it('is named by its issuer and subject', () => {
    const id = oidcKeyId('https://a', 'b');
    expect(id).toBe(digestText('{"issuer":"https://a","subject":"b"}'));
    expect(oidcKeyId('https://a', 'c')).not.toBe(id);
  });
});

describe('a command', () => {
  const order: GivenCommand = {
    ...{ verb: 'approve', workflowId: 'w', runId: 'r', nonce: 'n', subject: '', plan: 'd' },
  };
  const given = { ...order };
  const about = { subject: { cluster: CLUSTER, fleet: '' }, requester: 'ana' };
  const said = (by: AccessPrincipal, changes: Partial<Statement> = {}): SignedStatement =>
    signed({ ...order, target: '', ...changes }, by);
  const BEN = principal('ben', 'approver');

  it('is applied when it is what was signed', () => {
    const found = authoriseCommand(said(BEN), given, about);
    expect(found).toEqual({ kind: 'authorised', principal: 'ben', role: 'approver' });
  });

  it.each<[string, Partial<Statement>]>([
    ['of another run', { runId: 'r2' }],
    ['of another cluster', { workflowId: 'w2' }],
    ['with another id', { nonce: 'again' }],
    ['for something else', { subject: 'CCM2007' }],
    ['of another plan', { plan: 'e' }],
    ['with another verb', { verb: 'retry' }],
  ])('%s is not', (_, change) => {
    expect(authoriseCommand(said(BEN, change), given, about).kind).toBe('refused');
  });

  it('requester and approver are two people, by their keys', () => {
    const ana = principal('ana', 'requester', 'approver');
    expect(authoriseCommand(said(ana), given, about)).toMatchObject({
      why: 'ana asked for it, so another person must approve it',
    });
  });

  it('who may break the glass approves alone, and it shows', () => {
    const ana = principal('ana', 'requester', 'approver', 'breakGlass');
    const found = authoriseCommand(said(ana), given, about);
    expect(found).toEqual({ kind: 'authorised', principal: 'ana', role: 'breakGlass' });
    const revoked = { ...said(ana), isRevoked: true };
    expect(authoriseCommand(revoked, given, about)).toMatchObject({ why: 'its key was revoked' });
  });

  it('who asked for a fleet does not set its budget', () => {
    const budget: GivenCommand = { ...order, verb: 'budget', plan: '' };
    const found = authoriseCommand(
      signed({ ...budget, target: '' }, principal('ana', 'operator')),
      budget,
      about,
    );
    expect(found).toMatchObject({ why: 'ana asked for it, so another person must set its budget' });
  });

  it('who asked may retry', () => {
    const ana = principal('ana', 'operator');
    const retry: GivenCommand = { ...order, verb: 'retry', plan: '' };
    const found = authoriseCommand(signed({ ...retry, target: '' }, ana), retry, about);
    expect(found).toMatchObject({ kind: 'authorised', role: 'operator' });
  });
});

describe('where a grant counts', () => {
  const eu = new Map([['region', 'eu']]);
  const at = (name: string, labels = eu, fleet = '') => ({ cluster: { name, labels }, fleet });
  const whole = (fleet: string) => ({ cluster: null, fleet });
  const has = (
    grant: Partial<AccessPrincipal['grants'][number]>,
    subject: Parameters<typeof rolesOf>[1],
  ) => {
    const grants = [{ roles: ['operator', 'requester'] as const, ...EVERYWHERE, ...grant }];
    return rolesOf({ name: 'x', keys: [], grants }, subject).join();
  };

  it.each<[string, Parameters<typeof has>, string]>([
    ['everywhere', [{}, at('prod-1')], 'requester,operator'],
    ['in every fleet', [{}, whole('eu')], 'requester,operator'],
    ['by name', [{ clusters: { names: ['prod-1'] } }, at('prod-1')], 'requester,operator'],
    ['by another name', [{ clusters: { names: ['prod-2'] } }, at('prod-1')], ''],
    ['by label', [{ clusters: { labels: { region: 'eu' } } }, at('a')], 'requester,operator'],
    ['by another label', [{ clusters: { labels: { region: 'us' } } }, at('a')], ''],
    ['some clusters say nothing of a fleet', [{ clusters: { names: ['a'] } }, whole('eu')], ''],
    ['nor do labels', [{ clusters: { labels: { region: 'eu' } } }, whole('eu')], ''],
    ['a fleet by name', [{ fleets: ['eu'] }, whole('eu')], 'requester,operator'],
    ['its clusters', [{ fleets: ['eu'] }, at('a', eu, 'eu')], 'requester,operator'],
    ['clusters of other fleets', [{ fleets: ['eu'] }, at('a', eu, 'us')], ''],
    ['another fleet', [{ fleets: ['eu'] }, whole('us')], ''],
  ])('%s', (_, given, roles) => {
    expect(has(...given)).toBe(roles);
  });

  it('a key is one principal, revoked or not', () => {
    expect(principalOfKey(ACCESS, 'key-ana')?.principal).toBe(ANA);
    expect(principalOfKey(ACCESS, 'key-ben')).toBeNull();
  });
});

describe('a command to a fleet', () => {
  const said = (verb: 'apply' | 'revise', runId: string, notBefore: number): Statement =>
    wholeStatement({
      ...{ verb, workflowId: 'fleet-migration/eu', fleet: 'eu', nonce: 'n', runId },
      ...{ notBefore, notAfter: notBefore + 60 },
    });
  it.each<[string, Statement, { runId: string; notBefore: number }, boolean]>([
    ['after its start', said('apply', '', 1000), { runId: 'f1', notBefore: 1000 }, true],
    [
      'a minute before, by its clock',
      said('apply', '', 1000),
      { runId: 'f1', notBefore: 940 },
      true,
    ],
    ['longer before', said('apply', '', 1000), { runId: 'f1', notBefore: 939 }, false],
    ['before a plan of its run', said('revise', 'f1', 1000), { runId: 'f1', notBefore: 1 }, true],
    ['before one of another', said('revise', 'f2', 1000), { runId: 'f1', notBefore: 1 }, false],
    ['after one of another', said('revise', 'f2', 1000), { runId: 'f1', notBefore: 1000 }, true],
  ])('%s', (_, start, command, isOf) => {
    expect(isOfFleetRun(start, command)).toBe(isOf);
  });
});
