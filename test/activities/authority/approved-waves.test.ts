import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PlannedStepInput, RunAuthority, RunContext } from '../../../activities/contract.js';
import type { SignedWave } from '../../../domain/authority/member-tree.js';
import { type Envelope, PAYLOAD_TYPE } from '../../../domain/authority/signed-envelope.js';
import type { Statement } from '../../../domain/authority/statement.js';
import { digestJson } from '../../../domain/digest.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import {
  accessPolicy,
  authorityBy,
  type TestPrincipal,
  testPrincipal,
} from '../../support/signing.js';
import { type Environment, openEnvironment } from '../environment.js';
import { signedRuns } from './signed-runs.js';

const ANA = testPrincipal('ana', 'requester', 'operator', 'approver');
const BEN = testPrincipal('ben', 'approver');
const CY = testPrincipal('cy', 'approver');
/** Can write to the namespace, and has no key that counts. */
const EVE = testPrincipal('eve', 'approver');
const WAVE: SignedWave = { index: 1, revision: 1, before: 2, approvers: null };

const ENVELOPE: Envelope = {
  ...{ payloadType: PAYLOAD_TYPE, payload: 'e30=', signatures: [{ keyid: 'k', sig: 's' }] },
};

type Member = NonNullable<RunAuthority['member']>;

/** Anyone who can write to the namespace can start the run of a member, with whatever they like of what was signed. */
describe('the wave of a member', () => {
  let environment: Environment;
  beforeEach(async () => {
    const access = accessPolicy([ANA, BEN, CY]);
    environment = await openEnvironment({ authority: authorityBy(() => access) });
  });
  afterEach(() => environment.close());

  const { said, inFleet, fence, step } = signedRuns(() => environment, ANA);
  const ofFleet = (by: TestPrincipal, changes: Partial<Statement>): Envelope =>
    by.sign(
      said({
        ...{ fleet: 'eu', workflowId: 'fleet-migration/eu', runId: 'fleet-run', target: '' },
        ...{ cluster: '', policy: '', materials: '', timings: '', plan: '', ...changes },
      }),
    );
  const approval = (by: TestPrincipal, wave = 1, times: Partial<Statement> = {}): Envelope => {
    const order = {
      ...{ verb: 'approve', subject: { kind: 'before', wave }, revision: 1 },
      planDigest: environment.context.planDigest,
    };
    const subject = digestJson({ scope: { kind: 'wave', wave }, order });
    return ofFleet(by, { verb: 'approve', subject, ...times });
  };
  const started = (
    approvals: readonly Envelope[] | undefined,
    change: Partial<Member> = {},
    commands: readonly Envelope[] = [],
    wave = WAVE,
  ): RunContext => {
    const { start, member } = inFleet({}, wave);
    const carried = { ...member, ...(approvals && { approvals }), ...change };
    return { ...environment.context, authority: { start, commands, member: carried } };
  };
  const writes = async () => (await environment.journal()).filter(({ mutating }) => mutating);
  const refusedStep = async (
    context: RunContext,
    why: string,
    change: Partial<PlannedStepInput> = {},
  ) => {
    await expect(step(context, change)).rejects.toMatchObject({
      ...{ type: 'AuthorityLost', message: expect.stringContaining(why) },
    });
    expect(await writes()).toEqual([]);
  };

  it('has begun once as many people as it demands have approved it, which is on record', async () => {
    const context = started([approval(BEN), approval(CY)]);
    await fence(context);
    await expect(step(context)).resolves.toBeDefined();
    const recorded = (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'authority' ? [entry.authority] : [],
    );
    expect(recorded).toMatchObject([
      { verdict: 'accepted', verb: 'apply', principal: 'ana' },
      { verdict: 'accepted', verb: 'approve', principal: 'ben', role: 'approver' },
      { verdict: 'accepted', verb: 'approve', principal: 'cy', role: 'approver' },
    ]);
  });

  it('may name and ask as many people as a plan can', async () => {
    const approvers = ['ben', 'cy', ...Array.from({ length: 998 }, (_, at) => `p${String(at)}`)];
    const many = Array<Envelope>(99).fill(approval(BEN));
    const context = started([...many, approval(CY)], {}, [], { ...WAVE, approvers });
    await fence(context);
    await expect(step(context)).resolves.toBeDefined();
  });

  it.each<[string, () => readonly Envelope[], string]>([
    ['no approval', () => [], '0 of 2 people'],
    ['too few', () => [approval(BEN)], '1 of 2 people'],
    ['one approval twice', () => [approval(BEN), approval(BEN)], '1 of 2 people'],
    ['that of who asked', () => [approval(BEN), approval(ANA)], '1 of 2 people'],
    ['one of another wave', () => [approval(BEN), approval(CY, 0)], '1 of 2 people'],
    ['one of an unknown key', () => [approval(BEN), approval(EVE)], 'not in the policy'],
  ])('with %s is not begun', async (_, approvals, why) => {
    await refusedStep(started(approvals()), why);
  });

  it('takes no fence before its approvals, and the refusal alone is on record', async () => {
    await expect(fence(started([approval(BEN)]))).rejects.toMatchObject({
      ...{ type: 'NotAuthorised', message: expect.stringContaining('1 of 2 people') },
    });
    await expect(fence(started([approval(BEN), approval(EVE)]))).rejects.toMatchObject({
      ...{ type: 'NotAuthorised', message: expect.stringContaining('not in the policy') },
    });
    expect(await writes()).toEqual([]);
    expect((await environment.evidence()).map(({ entry }) => entry)).toMatchObject([
      { kind: 'authority', authority: { verdict: 'refused', verb: 'apply' } },
      { kind: 'authority', authority: { verdict: 'refused', verb: 'apply' } },
    ]);
  });

  it.each<[string, Partial<Statement>]>([
    ['has not come', { notBefore: 4e9, notAfter: 4e9 + 60 }],
    ['was over before the fleet was asked for', { notBefore: 1, notAfter: 2 }],
    ['lasts for longer than the policy allows', { notAfter: 4e9 }],
  ])('takes no fence by an approval whose time %s', async (_, times) => {
    const context = started([approval(BEN), approval(CY, 1, times)]);
    await expect(fence(context)).rejects.toMatchObject({
      ...{ type: 'NotAuthorised', message: expect.stringContaining('1 of 2 people') },
    });
    expect(await writes()).toEqual([]);
  });

  it('has no step by an approval whose time has not come', async () => {
    const early = approval(CY, 1, { notBefore: 4e9, notAfter: 4e9 + 60 });
    await refusedStep(started([approval(BEN), early]), '1 of 2 people');
  });

  it('is begun by approvals that have ended since, as a wave lasts longer than they do', async () => {
    const { notBefore } = said();
    const ended = { notBefore: notBefore - 30, notAfter: notBefore - 10 };
    await expect(
      fence(started([BEN, CY].map((by) => approval(by, 1, ended)))),
    ).resolves.toMatchObject({
      epoch: 1,
    });
  });

  it('takes its fence again in a run that has it, whatever has become of an approver', async () => {
    await fence(started([approval(BEN), approval(CY)]));
    await expect(fence(started([approval(BEN)]), 'n2')).resolves.toMatchObject({ epoch: 2 });
  });

  it('takes no fence where a person turned it forward again', async () => {
    const turns = [ofFleet(ANA, { verb: 'rollBack' }), ofFleet(ANA, { verb: 'rollForward' })];
    await expect(fence(started([], {}, turns))).rejects.toMatchObject({ type: 'NotAuthorised' });
    expect(await writes()).toEqual([]);
  });

  it('is left without a word by a member that its fleet was to bring back from the start', async () => {
    const { start, member } = inFleet({ target: 'kcm' }, WAVE);
    const authority = { start, commands: [], member: { ...member, approvals: [] } };
    await expect(fence({ ...environment.context, authority })).resolves.toMatchObject({ epoch: 1 });
  });

  it.each<[string, Partial<Member>]>([
    ['that it demands no one', { wave: { ...WAVE, before: 0 } }],
    ['that it is an earlier one', { wave: { ...WAVE, index: 0 } }],
  ])('is what was signed, and not as a run says: %s', async (_, change) => {
    const approvals = [BEN, CY].map((by) => approval(by, change.wave?.index));
    await refusedStep(started(approvals, change), 'does not cover this cluster');
  });

  it.each<[string, unknown]>([
    ['a wave that is none', { wave: { ...WAVE, before: '0' } }],
    ['no wave at all', { wave: null }],
    ['people that are none', { wave: { ...WAVE, approvers: [7] } }],
    ['more people than any wave asks', { wave: { ...WAVE, approvers: Array(1001).fill('x') } }],
    ['approvals that are none', { approvals: [{}] }],
    ['no list of approvals', { approvals: undefined }],
    ['too many approvals', { approvals: Array(101).fill(ENVELOPE) }],
  ])('is refused with %s', async (_, change) => {
    const read = change as Partial<Member>;
    await refusedStep(started([approval(BEN), approval(CY)], read), 'cannot be read');
  });

  it('is left by a rollback without a word of those who approve', async () => {
    const back = ofFleet(ANA, { verb: 'rollBack' });
    const context = started([], {}, [back]);
    await fence(context);
    const decide = { ...NO_JUDGEMENTS, target: 'kcm' as const };
    // The cluster has nothing to go back from: who approved it is no reason.
    await expect(step(context, { decide })).rejects.toMatchObject({
      message: expect.stringContaining('is not due'),
    });
  });

  it('is begun by no command that turns a member forward', async () => {
    const forth = ofFleet(ANA, { verb: 'rollForward' });
    await refusedStep(started([approval(BEN)], {}, [forth]), '1 of 2 people');
  });
});
