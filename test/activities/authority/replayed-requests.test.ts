import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PlannedStepInput, RunContext } from '../../../activities/contract.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import type { Envelope } from '../../../domain/authority/signed-envelope.js';
import type { Statement } from '../../../domain/authority/statement.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import {
  accessPolicy,
  authorityBy,
  type TestPrincipal,
  testPrincipal,
} from '../../support/signing.js';
import { type Environment, openEnvironment } from '../environment.js';
import { signedRuns } from './signed-runs.js';

const ANA = testPrincipal('ana', 'requester', 'operator');
const BEN = testPrincipal('ben', 'approver', 'operator');

/** What was signed for another moment, plan or direction is no use for this one. */
describe('what was signed before', () => {
  let environment: Environment;
  let access: AccessPolicy;
  beforeEach(async () => {
    access = accessPolicy([ANA, BEN]);
    environment = await openEnvironment({ authority: authorityBy(() => access) });
  });
  afterEach(() => environment.close());

  const { said, asked, inFleet, admit, fence, step } = signedRuns(() => environment, ANA);
  const TO_KCM = { decide: { ...NO_JUDGEMENTS, target: 'kcm' as const } };
  const APPROVED = {
    decide: { ...NO_JUDGEMENTS, target: 'ccm' as const, approvals: ['handover'] },
  };
  const command = (by: TestPrincipal, verb: Statement['verb'], changes: Partial<Statement> = {}) =>
    by.sign(said({ verb, runId: environment.context.runId, target: '', ...changes }));
  const approval = (changes: Partial<Statement> = {}) =>
    command(BEN, 'approve', { subject: 'handover', ...changes });
  const ownRun = (...commands: readonly Envelope[]): RunContext => {
    const context = asked();
    const start = context.authority?.start ?? approval();
    return { ...context, authority: { start, commands } };
  };

  type Change = Partial<PlannedStepInput>;
  const refusedStep = async (context: RunContext, change: Change, why: string) => {
    await expect(step(context, change)).rejects.toMatchObject({
      type: 'AuthorityLost',
      message: expect.stringContaining(why),
    });
    expect((await environment.journal()).filter(({ mutating }) => mutating)).toEqual([]);
  };

  it('an approval of another plan approves nothing', async () => {
    await refusedStep(ownRun(approval({ plan: 'sha256:other' })), APPROVED, 'its field plan');
  });

  it('a command that no worker has admitted in time turns and approves nothing', async () => {
    const run = ownRun(command(ANA, 'rollBack'));
    await refusedStep(run, TO_KCM, "no worker's acceptance of the rollBack that ana signed");
    await expect(fence(run)).rejects.toMatchObject({ type: 'NotAuthorised' });
    await refusedStep(ownRun(approval()), APPROVED, "no worker's acceptance of the approve");
    expect(await environment.evidence()).toContainEqual(
      expect.objectContaining({
        entry: expect.objectContaining({
          authority: expect.objectContaining({ verdict: 'refused', detail: expect.any(String) }),
        }),
      }),
    );
  });

  it('nor does one whose admission is on record for another run', async () => {
    const run = ownRun(command(ANA, 'rollBack', { runId: 'another-run' }));
    await admit({ ...run, runId: 'another-run' });
    const own = ownRun(command(ANA, 'rollBack'));
    await refusedStep(own, TO_KCM, "no worker's acceptance");
  });

  it('a command that was refused when it arrived counts no more than one that never did', async () => {
    const late = ownRun(command(ANA, 'rollBack', { notBefore: 1, notAfter: 2 }));
    await expect(admit(late)).rejects.toThrow('expired');
    await refusedStep(late, TO_KCM, "no worker's acceptance");
  });

  it('where the evidence of a run was lost, that is what is told of its commands', async () => {
    const run = ownRun(command(ANA, 'rollBack'));
    const known = { ...run, evidence: { records: 3, hash: 'sha256:elsewhere' } };
    await expect(step(known, TO_KCM)).rejects.toMatchObject({ type: 'EvidenceLost' });
  });

  it('a run follows the plan that was signed', async () => {
    const other = { ...asked(), planDigest: 'sha256:other' };
    await refusedStep(other, {}, 'its field plan is not what was signed');
  });

  it('an approval does not outlast a change of direction', async () => {
    const [back, forth] = [command(ANA, 'rollBack'), command(ANA, 'rollForward')];
    const turnedTwice = ownRun(approval(), back, forth);
    await refusedStep(turnedTwice, APPROVED, 'no signed approval of handover');
  });

  it('nor does a skip', async () => {
    const skip = command(ANA, 'skip', { subject: 'CCM1109' });
    const [back, forth] = [command(ANA, 'rollBack'), command(ANA, 'rollForward')];
    const skipped = { ...NO_JUDGEMENTS, target: 'ccm' as const, waivedGates: [WAIVED] };
    await refusedStep(ownRun(skip, back, forth), { decide: skipped }, 'skips CCM1109');
  });

  it('a plan that was made again after a turn is approved as it was', async () => {
    const given = [command(ANA, 'rollForward'), approval({ plan: 'sha256:made-before' })];
    await admit(ownRun(...given));
    await fence(ownRun(...given));
    await expect(step(ownRun(...given), APPROVED)).resolves.toBeDefined();
  });

  describe('of a fleet', () => {
    const member = (start: Partial<Statement>, back: Partial<Statement>): RunContext => {
      const { start: signed, member: place } = inFleet(start);
      const { workflowId, ...rest } = environment.context;
      const turn = command(BEN, 'rollBack', {
        ...{ fleet: 'eu', workflowId: 'fleet-migration/eu', runId: 'fleet-run', ...back },
      });
      return { ...rest, workflowId, authority: { start: signed, commands: [turn], member: place } };
    };
    const HOUR = 3600;
    const now = () => Math.floor(environment.clock.nowMs() / 1000);

    it('a command to an earlier fleet of its name turns nothing', async () => {
      const earlier = { notBefore: now() - HOUR, notAfter: now() };
      await refusedStep(member({}, earlier), TO_KCM, 'older than the fleet');
    });

    it('a command counts that the clock of its sender put before the start of the fleet', async () => {
      const slow = { notBefore: now() - 30, notAfter: now() + HOUR };
      await expect(fence(member({}, slow))).resolves.toMatchObject({ epoch: 1 });
    });

    it('a new plan of the fleet takes back no command that it was given before', async () => {
      const before = { notBefore: now() - HOUR, notAfter: now() };
      const revised = { verb: 'revise', runId: 'fleet-run' } as const;
      await expect(fence(member(revised, before))).resolves.toMatchObject({ epoch: 1 });
    });

    it('a new plan lets no command in that was given to another run', async () => {
      const before = { notBefore: now() - HOUR, notAfter: now() };
      const revised = { verb: 'revise', runId: 'fleet-run' } as const;
      const others = { ...revised, runId: 'another-run' };
      await refusedStep(member(others, before), TO_KCM, 'older than the fleet');
    });

    it('a command whose time has not come turns nothing', async () => {
      const early = { notBefore: now() + HOUR, notAfter: now() + 2 * HOUR };
      await refusedStep(member({}, early), TO_KCM, 'not valid yet');
      await expect(fence(member({}, early))).rejects.toMatchObject({ type: 'NotAuthorised' });
    });

    it('a command whose time is over turns a run as before: its fleet may have accepted it', async () => {
      const over = { notBefore: now() - 30, notAfter: now() - 10 };
      await expect(fence(member({}, over))).resolves.toMatchObject({ epoch: 1 });
    });

    it('a command that lasts for longer than the policy allows turns nothing', async () => {
      const long = { notAfter: now() + 10_000 * HOUR };
      await refusedStep(member({}, long), TO_KCM, 'for longer than the access policy allows');
      await expect(fence(member({}, long))).rejects.toMatchObject({ type: 'NotAuthorised' });
      await fence(member({}, {}));
      const again = fence(member({}, { ...long, nonce: 'n2' }), 'n2');
      await expect(again).rejects.toMatchObject({ type: 'AuthorityLost' });
    });

    it('one that was accepted for that time stays accepted when the policy allows less', async () => {
      const long = { notAfter: now() + 10_000 * HOUR };
      const short = access.longestValiditySeconds;
      access = { ...access, longestValiditySeconds: { ...short, run: 20_000 * HOUR } };
      await fence(member({}, long));
      access = { ...access, longestValiditySeconds: short };
      await expect(fence(member({}, long), 'n2')).resolves.toMatchObject({ epoch: 2 });
    });

    it('a command that a fleet relays is on record, by whom and by which role', async () => {
      await fence(member({}, { actor: 'someone' }));
      const said = (await environment.evidence()).flatMap(({ entry }) =>
        entry.kind === 'authority' ? [entry.authority] : [],
      );
      expect(said).toMatchObject([
        { verdict: 'accepted', verb: 'apply', principal: 'ana', role: 'requester' },
        { verdict: 'accepted', verb: 'rollBack', principal: 'ben', role: 'operator' },
      ]);
      expect(said[1]).toMatchObject({ actor: 'someone' });
    });

    it('a member runs nowhere but in the workflow of its cluster', async () => {
      const { start, member: place } = inFleet();
      const context = { ...environment.context, authority: { start, commands: [], member: place } };
      await expect(fence({ ...context, workflowId: 'elsewhere' })).rejects.toMatchObject({
        message: expect.stringContaining('another workflow'),
      });
      await expect(fence(context)).resolves.toMatchObject({ epoch: 1 });
    });
  });

  it.each<[string, unknown]>([
    ['without a word', {}],
    ['with a blank reason', { reason: ' ' }],
    ['with a reason that is none', { reason: 7 }],
    ['that is nothing', null],
    ['that is a text', 'mine'],
  ])('a take-over %s displaces no one', async (_, takeOver) => {
    await fence(asked());
    const context = { ...asked(ANA, { nonce: 'n2' }), runId: 'run-2' };
    const taken = environment.activities.takeFence({
      ...{ ...context, nonce: 'n2', acknowledge: false },
      takeOver: takeOver as { reason: string },
    });
    await expect(taken).rejects.toMatchObject({ type: 'AlreadyRunning' });
  });
});

const WAIVED = { gate: 'gate', code: 'CCM1109' };
