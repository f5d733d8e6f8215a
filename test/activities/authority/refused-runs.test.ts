import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunContext } from '../../../activities/contract.js';
import { createGuardActivities } from '../../../activities/index.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { unpackObservation } from '../../../domain/observation/packed-observation.js';
import type { Statement } from '../../../domain/authority/statement.js';
import { accessPolicy, authorityBy, testPrincipal } from '../../support/signing.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { type Environment, openEnvironment } from '../environment.js';
import { signedRuns } from './signed-runs.js';

const ANA = testPrincipal('ana', 'requester');
const BEN = testPrincipal('ben', 'operator', 'approver');
const EVE = testPrincipal('eve', 'requester');

describe('a worker with an access policy', () => {
  let environment: Environment;
  let access: AccessPolicy = accessPolicy([ANA, BEN]);
  beforeEach(async () => {
    access = accessPolicy([ANA, BEN]);
    environment = await openEnvironment({
      authority: authorityBy(() => access),
    });
  });
  afterEach(async () => {
    await environment.close();
  });

  const { said, asked, inFleet, admit, fence, step, observed } = signedRuns(() => environment, ANA);

  const guard = (context: RunContext) =>
    createGuardActivities(environment.guardDependencies).guardCluster({
      ...{ ...context, nonce: 'g', memory: null },
    });
  const check = (context: RunContext) =>
    environment.activities.checkStart({
      ...{ ...context, epoch: 0, firstSeen: [], early: true },
      decide: { ...NO_JUDGEMENTS, target: 'ccm' },
      materials: { ccmManifest: environment.ccmManifest },
    });
  const observe = (context: RunContext) => observed(context, NO_JUDGEMENTS);
  const ACTIVITIES = { check, fence, step, guard, observe };

  const mutations = async () => (await environment.journal()).filter(({ mutating }) => mutating);
  const verdicts = async () =>
    (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'authority' ? [entry.authority] : [],
    );

  type Ask = () => RunContext;
  const FAULTS: readonly (readonly [string, Ask])[] = [
    ['that is not signed', () => environment.context],
    ['of a key that the policy does not know', () => asked(EVE)],
    ['of who has another role', () => asked(BEN)],
    ['of another cluster', () => asked(ANA, { cluster: 'uid-9' })],
    ['of another workflow', () => asked(ANA, { workflowId: 'whatever-i-like' })],
    ['of another policy', () => asked(ANA, { policy: 'sha256:0000' })],
    ['of other timings', () => asked(ANA, { timings: 'sha256:0000' })],
    ['of a fleet', () => asked(ANA, { fleet: 'eu' })],
    ['that is a command', () => asked(ANA, { verb: 'retry' })],
    [
      'with a signature of other bytes',
      () => {
        const [one, other] = [ANA.sign(said()), ANA.sign(said({ nonce: 'other' }))];
        return {
          ...environment.context,
          authority: { start: { ...one, payload: other.payload }, commands: [] },
        };
      },
    ],
    [
      'with the key of another signature',
      () => {
        const start = EVE.sign(said());
        const [{ sig } = { sig: '' }] = start.signatures;
        const forged = { ...start, signatures: [{ keyid: ANA.keyId, sig }] };
        return { ...environment.context, authority: { start: forged, commands: [] } };
      },
    ],
  ];

  /** These change nothing, so that they go on for a run whose requester lost the role. */
  const isAllowed = (activity: string, fault: string): boolean =>
    ['guard', 'observe'].includes(activity) &&
    (fault === 'of who has another role' || fault === 'of a fleet');

  for (const [activity, run] of Object.entries(ACTIVITIES)) {
    for (const [fault, ask] of FAULTS) {
      if (isAllowed(activity, fault)) continue;
      it(`${activity} refuses a run ${fault}`, async () => {
        const before = (await mutations()).length;
        await expect(run(ask())).rejects.toMatchObject({
          type: expect.stringMatching(/^(NotAuthorised|AuthorityLost)$/),
          nonRetryable: true,
        });
        expect(await mutations()).toHaveLength(before);
        expect(await verdicts()).toEqual([expect.objectContaining({ verdict: 'refused' })]);
      });
    }
  }

  it.each(Object.entries(ACTIVITIES))(
    'a refusal of %s names no UID and no holder',
    async (_name, run) => {
      const context = { ...asked(EVE), cluster: { name: 'c1', uid: 'a-guess' } };
      const failed = run(context).then(
        () => 'it went through',
        (error: unknown) => String(error),
      );
      expect(await failed).toMatch(/access policy of this worker does not allow it/);
      expect(await failed).not.toContain(environment.cluster.uid);
    },
  );

  it('a run for which no one may ask leaves nothing in a free fence when it ends', async () => {
    const { epoch } = await fence(asked());
    await environment.activities.closeRun({ ...asked(), epoch, outcome: 'stopped' });
    const before = (await mutations()).length;
    const other = { ...asked(EVE), runId: 'another-run' };
    await environment.activities.closeRun({ ...other, epoch: 0, outcome: 'refused' });
    expect(await mutations()).toHaveLength(before);
    const own = { ...asked(), runId: 'a-third-run' };
    await environment.activities.closeRun({ ...own, epoch: 0, outcome: 'refused' });
    expect(await mutations()).toHaveLength(before + 1);
  });

  it('what is asked for as it was signed is carried out, and the first record says by whom', async () => {
    const context = asked();
    const grant = await fence(context);
    expect(grant.epoch).toBe(1);
    const [first] = await environment.evidence();
    expect(first?.entry).toMatchObject({
      kind: 'authority',
      authority: { verdict: 'accepted', principal: 'ana', role: 'requester', verb: 'apply' },
    });
  });

  it.each<[string, Partial<Statement>, string]>([
    ['expired', { notBefore: 1, notAfter: 2 }, 'expired'],
    ['not valid yet', { notBefore: 4e9, notAfter: 4e9 + 60 }, 'not valid yet'],
    ['valid for years', { notAfter: 4e9 }, 'longer than'],
  ])('a statement that is %s begins nothing', async (_, change, why) => {
    await expect(fence(asked(ANA, change))).rejects.toMatchObject({
      type: 'NotAuthorised',
      message: expect.stringContaining(why),
    });
    expect(await mutations()).toHaveLength(0);
  });

  it('a run that was accepted goes on after the end of its statement', async () => {
    const now = Math.floor(environment.clock.nowMs() / 1000);
    const context = asked(ANA, { notBefore: now, notAfter: now + 60 });
    await fence(context);
    await environment.clock.sleep(3_600_000);
    await expect(fence(context, 'n2')).resolves.toMatchObject({ epoch: 2 });
  });

  it('a statement begins one run', async () => {
    const context = asked();
    await fence(context);
    await environment.activities.closeRun({ ...context, epoch: 1, outcome: 'stopped' });
    const other = { ...context, runId: 'run-2' };
    await expect(fence(other)).rejects.toMatchObject({
      type: 'NotAuthorised',
      message: expect.stringContaining('began another run'),
    });
    await expect(fence({ ...asked(ANA, { nonce: 'n2' }), runId: 'run-2' })).resolves.toMatchObject({
      epoch: 2,
    });
  });

  it('a fleet starts a cluster again, each time by a start of its own', async () => {
    const { start, member } = inFleet();
    const started = (grant: number, runId: string): RunContext => {
      return {
        ...environment.context,
        runId,
        authority: { start, commands: [], member: { ...member, grant } },
      };
    };
    await fence(started(1, 'run-1'));
    const ended = { ...started(1, 'run-1'), epoch: 1, outcome: 'failed' };
    await environment.activities.closeRun(ended);
    await expect(fence(started(1, 'run-2'))).rejects.toMatchObject({ type: 'NotAuthorised' });
    await expect(fence(started(2, 'run-2'))).resolves.toMatchObject({ epoch: 2 });
    const elsewhere = {
      ...{ ...started(3, 'run-2'), cluster: { name: 'c1', uid: 'uid-9' } },
      workflowId: 'cluster-migration/uid-9',
    };
    await expect(check(elsewhere)).rejects.toMatchObject({
      message: expect.stringContaining('does not cover this cluster'),
    });
  });

  it('an older policy than the cluster has seen allows nothing', async () => {
    access = accessPolicy([ANA], { version: 5 });
    const context = asked();
    await fence(context);
    access = accessPolicy([ANA], { version: 4 });
    await expect(fence(context, 'n2')).rejects.toMatchObject({
      type: 'AuthorityLost',
      message: expect.stringContaining('has seen 5'),
    });
  });

  it('a step by an older policy than the cluster has seen writes nothing', async () => {
    access = accessPolicy([ANA], { version: 5 });
    const context = asked();
    await fence(context);
    access = accessPolicy([ANA], { version: 4 });
    await expect(step(context)).rejects.toMatchObject({
      type: 'AuthorityLost',
      message: expect.stringContaining('has seen 5'),
    });
    expect((await environment.evidence()).map(({ entry }) => entry.kind)).toEqual([
      ...['authority', 'intent', 'outcome'],
    ]);
    access = accessPolicy([ANA], { version: 6 });
    await expect(step(context)).resolves.toMatchObject({ summary: { mutations: 1 } });
  });

  it('a revoked key holds the run at its next step; a rollback by an operator and a repair go on', async () => {
    const context = asked();
    await fence(context);
    access = accessPolicy([
      { ...ANA, keys: ANA.keys.map((key) => ({ ...key, revoked: true })) },
      BEN,
    ]);
    await expect(step(context)).rejects.toMatchObject({
      type: 'AuthorityLost',
      message: expect.stringContaining('revoked'),
    });
    const back = BEN.sign(said({ verb: 'rollBack', runId: context.runId, target: '' }));
    const turned = {
      ...context,
      authority: { start: context.authority?.start ?? back, commands: [back] },
    };
    await admit(turned);
    const toKcm = { ...NO_JUDGEMENTS, target: 'kcm' as const };
    const { inventory } = unpackObservation((await observed(turned, toKcm)).observation);
    const decide = { ...toKcm, since: inventory };
    const { decision } = await observed(turned, decide);
    await expect(step(turned, { decide, planned: decision.proof })).resolves.toMatchObject({
      summary: { mutations: 0 },
    });
    await expect(fence(turned, 'n2')).resolves.toMatchObject({ epoch: 2 });
  });

  it('a direction that no one signed is not followed', async () => {
    const context = asked();
    await fence(context);
    const toKcm = { decide: { ...NO_JUDGEMENTS, target: 'kcm' as const } };
    await expect(step(context, toKcm)).rejects.toMatchObject({ type: 'AuthorityLost' });
    const approved = {
      decide: { ...NO_JUDGEMENTS, target: 'ccm' as const, approvals: ['handover'] },
    };
    await expect(step(context, approved)).rejects.toMatchObject({
      message: expect.stringContaining('no signed approval of handover'),
    });
  });

  it('a command of another run does not count', async () => {
    const context = asked();
    const back = BEN.sign(said({ verb: 'rollBack', runId: 'run-0', target: '' }));
    const turned = {
      ...context,
      authority: { start: context.authority?.start ?? back, commands: [back] },
    };
    await expect(fence(turned)).rejects.toMatchObject({
      message: expect.stringContaining('its field runId is not what was signed'),
    });
  });

  it('an approval by who asked for the run does not count, also where it was not refused before', async () => {
    const both = {
      ...ANA,
      grants: [
        { ...ANA.grants[0], roles: ['requester', 'approver'] as const, clusters: {}, fleets: null },
      ],
    };
    access = accessPolicy([both, BEN]);
    const context = asked();
    const approve = said({ verb: 'approve', runId: context.runId, target: '' });
    const start = context.authority?.start ?? ANA.sign(approve);
    const by = (signer: typeof ANA) => ({
      ...context,
      authority: { start, commands: [signer.sign(approve)] },
    });
    await expect(fence(by(ANA))).rejects.toMatchObject({
      message: expect.stringContaining('another person must approve'),
    });
    await admit(by(BEN));
    await expect(fence(by(BEN))).resolves.toMatchObject({ epoch: 1 });
  });

  it('who has a fleet may turn its members, by their own name', async () => {
    const { context } = environment;
    const { start, member } = inFleet();
    const ofFleet = (grant: 'eu' | 'us') => ({
      ...BEN,
      grants: [{ roles: ['operator'] as const, clusters: {}, fleets: [grant] }],
    });
    const back = BEN.sign(said({ verb: 'rollBack', runId: context.runId, target: '' }));
    const turned = { ...context, authority: { start, commands: [back], member } };
    access = accessPolicy([ANA, ofFleet('us')]);
    await expect(fence(turned)).rejects.toMatchObject({ type: 'NotAuthorised' });
    access = accessPolicy([ANA, ofFleet('eu')]);
    await admit(turned);
    await expect(fence(turned)).resolves.toMatchObject({ epoch: 1 });
  });

  it('a policy that demands an approval refuses runs that ask for none', async () => {
    access = accessPolicy([ANA], { handoverApproval: 'required' });
    await expect(fence(asked())).rejects.toMatchObject({
      message: expect.stringContaining('another person must approve the handover'),
    });
  });
});
