import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunContext } from '../../../activities/contract.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import type { Statement } from '../../../domain/authority/statement.js';
import { unpackObservation } from '../../../domain/observation/packed-observation.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import {
  accessPolicy,
  authorityBy,
  type TestPrincipal,
  testPrincipal,
} from '../../support/signing.js';
import { type Environment, openEnvironment } from '../environment.js';
import { signedRuns } from './signed-runs.js';

const ANA = testPrincipal('ana', 'requester');
const BEN = testPrincipal('ben', 'operator');
const CHO = testPrincipal('cho', 'approver');

const revoked = (principal: TestPrincipal): TestPrincipal => ({
  ...principal,
  keys: principal.keys.map((key) => ({ ...key, revoked: true })),
});
const LOST: readonly (readonly [string, (principal: TestPrincipal) => TestPrincipal])[] = [
  ['key was revoked', revoked],
  ['role is gone', (principal) => ({ ...principal, grants: [] })],
];

/** What an access policy forbids to go on holds the way forward: never the guard, and never a rollback. */
describe('an open run whose access policy has changed', () => {
  let environment: Environment;
  let access: AccessPolicy = accessPolicy([ANA, BEN, CHO]);
  beforeEach(async () => {
    access = accessPolicy([ANA, BEN, CHO]);
    environment = await openEnvironment({ authority: authorityBy(() => access) });
  });
  afterEach(() => environment.close());

  const { said, asked, admit, fence, step, observed } = signedRuns(() => environment, ANA);
  /** By what the guard asks, too: `HARMLESS` of activities/authority/judge-run.ts. */
  const watched = (context: RunContext) => observed(context, NO_JUDGEMENTS);
  const ordered = (context: RunContext, by: TestPrincipal, what: Partial<Statement>) => ({
    ...context,
    authority: {
      start: context.authority?.start ?? ANA.sign(said()),
      commands: [
        ...(context.authority?.commands ?? []),
        by.sign(said({ runId: context.runId, target: '', ...what })),
      ],
    },
  });
  const back = async (context: RunContext) => {
    const toKcm = { ...NO_JUDGEMENTS, target: 'kcm' as const };
    const { inventory } = unpackObservation((await observed(context, toKcm)).observation);
    const decide = { ...toKcm, since: inventory };
    const { decision } = await observed(context, decide);
    return step(context, { decide, planned: decision.proof });
  };
  const goesBackAndIsWatched = async (context: RunContext): Promise<void> => {
    await expect(watched(context)).resolves.toBeDefined();
    await expect(back(context)).resolves.toMatchObject({ summary: { mutations: 0 } });
    await expect(fence(context, 'n2')).resolves.toMatchObject({ epoch: 2 });
  };
  const isHeld = (context: RunContext, why: string) =>
    expect(step(context)).rejects.toMatchObject({
      type: 'AuthorityLost',
      message: expect.stringContaining(why),
    });

  it.each(LOST)(
    'an approver whose %s holds it, and its policy turns it back',
    async (what, without) => {
      const context = ordered(asked(ANA, { turnsBack: 'byPolicy' }), CHO, { verb: 'approve' });
      await admit(context);
      await fence(context);
      await expect(step(context)).resolves.toBeDefined();
      access = accessPolicy([ANA, BEN, without(CHO)]);
      await isHeld(context, what === 'role is gone' ? 'takes the role approver' : 'revoked');
      await goesBackAndIsWatched(context);
    },
  );

  it.each(LOST)(
    'a rollback rests on the word of an operator whose %s no longer',
    async (_what, without) => {
      const context = ordered(asked(), BEN, { verb: 'rollBack' });
      await admit(context);
      await fence(context);
      await expect(back(context)).resolves.toBeDefined();
      access = accessPolicy([ANA, without(BEN), CHO]);
      await expect(watched(context)).resolves.toBeDefined();
      await expect(back(context)).rejects.toMatchObject({
        type: 'AuthorityLost',
        message: expect.stringContaining('a command: '),
      });
    },
  );

  it.each(LOST)('an order of one whose %s begins no run', async (_what, without) => {
    const context = ordered(asked(), BEN, { verb: 'rollBack' });
    await admit(context);
    access = accessPolicy([ANA, without(BEN), CHO]);
    await expect(fence(context)).rejects.toMatchObject({
      type: 'NotAuthorised',
      message: expect.stringContaining('a command: '),
    });
  });

  it('an approval that became required holds it, and nothing delays its rollback', async () => {
    const context = asked(ANA, { turnsBack: 'byPolicy' });
    await fence(context);
    access = accessPolicy([ANA, BEN, CHO], { handoverApproval: 'required' });
    await isHeld(context, 'another person must approve the handover');
    await goesBackAndIsWatched(context);
  });

  it('a run that was begun toward KCM needs the required approval once it is rolled forward', async () => {
    access = accessPolicy([ANA, BEN, CHO], { handoverApproval: 'required' });
    const context = asked(ANA, { target: 'kcm' });
    await fence(context);
    const turned = ordered(context, BEN, { verb: 'rollForward' });
    await admit(turned);
    await isHeld(turned, 'another person must approve the handover');
    access = accessPolicy([ANA, BEN, CHO]);
    await expect(step(turned)).resolves.toBeDefined();
  });

  it('nor does one begin that people sent forward before it had a fence', async () => {
    const turned = ordered(asked(ANA, { target: 'kcm' }), BEN, { verb: 'rollForward' });
    await admit(turned);
    access = accessPolicy([ANA, BEN, CHO], { handoverApproval: 'required' });
    await expect(fence(turned)).rejects.toMatchObject({
      type: 'NotAuthorised',
      message: expect.stringContaining('another person must approve the handover'),
    });
  });
});
