import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunContext } from '../../../activities/contract.js';
import { failureTypeOf } from '../../../activities/failures.js';
import { createActivities } from '../../../activities/index.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { digestJson } from '../../../domain/digest.js';
import { accessPolicy, authorityBy, testPrincipal } from '../../support/signing.js';
import { NO_JUDGEMENTS, planned } from '../../support/planned.js';
import { type Environment, openEnvironment } from '../environment.js';
import { signedRuns } from './signed-runs.js';

const ANA = testPrincipal('ana', 'requester');
const BEN = testPrincipal('ben', 'operator', 'approver');
const CHO = testPrincipal('cho', 'approver');

/** As one would order it who can complete the workflow tasks of an accepted run. */
describe('a step of an accepted run', () => {
  let environment: Environment;
  let access: AccessPolicy = accessPolicy([ANA, BEN]);
  beforeEach(async () => {
    access = accessPolicy([ANA, BEN]);
    environment = await openEnvironment({
      authority: authorityBy(() => access),
    });
  });
  afterEach(() => environment.close());

  const { said, asked, admit, fence, step, observed } = signedRuns(() => environment, ANA);
  /** Steps as the rules decide them, up to the first that takes a cloud loop away. */
  const untilHandover = async (context: RunContext) => {
    const decide = { ...NO_JUDGEMENTS, target: 'ccm' as const };
    for (;;) {
      const { decision, firstSeen } = await observed(context, decide);
      if (decision.next.kind !== 'step') throw new Error(JSON.stringify(decision.next));
      const { planned: next } = decision.next;
      if (next.approval !== null) return { decide, planned: next, firstSeen };
      await step(context, { decide, planned: next, firstSeen });
    }
  };
  /** A CCM without the migration lock beside the in-tree KCMs. */
  const startSecondOwner = async (): Promise<void> => {
    const { ports, ccmManifest, clock } = environment;
    const path = '/etc/kubernetes/manifests/cloud-controller-manager.yaml';
    await ports.files.write('cp-1', path, ccmManifest, { expect: 'absent', epoch: 1 });
    await clock.sleep(60_000);
  };

  it('a step out of its order is not carried out, and the run observes again', async () => {
    const context = asked();
    await fence(context);
    const early = planned({
      ...{ name: 'startCcm', phase: 'replaceNodes', why: 'test', cures: [] },
      effect: {
        ...{ kind: 'changeManager', node: 'cp-1', release: 'none' },
        want: { manager: 'ccm', role: 'running', leaderMigration: 'off' },
      },
    });
    await expect(step(context, { planned: early })).rejects.toMatchObject({
      type: 'PreconditionFailed',
      message: expect.stringContaining('not due: the cluster needs step recordBaseline now'),
      details: [expect.objectContaining({ wrote: false })],
    });
    const journal = await environment.journal();
    const changed = journal.filter(({ mutating, name }) => mutating && name !== 'ccm-migrate');
    expect(changed).toHaveLength(0);
  });

  it('an election that has come meanwhile is no reason to observe again', async () => {
    const context = asked();
    await fence(context);
    const waiting = planned({
      ...{ name: 'awaitElection', phase: 'enableLeaderMigration', why: 'test', cures: [] },
      effect: { kind: 'awaitElection', until: 'migrationHolder' },
    });
    const waited = step(context, { planned: waiting }).catch((error: unknown) => error);
    expect(failureTypeOf(await waited)).not.toBe('PreconditionFailed');
  });

  it('a step that an earlier attempt began is finished, though another one is due by now', async () => {
    const context = asked();
    await fence(context);
    await step(context);
    await expect(step(context)).resolves.toMatchObject({ summary: { mutations: 0 } });
    await environment.activities.takeFence({ ...context, nonce: 'n2', acknowledge: false });
    // The fence stopped that attempt of the former epoch only after its next intent.
    const [first] = (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'intent' && entry.intent.due !== undefined ? [entry.intent] : [],
    );
    if (first === undefined) throw new Error('the step wrote nothing');
    await environment.dependencies.evidence.begin({ ...first, id: 'late' });
    await expect(step(context, { epoch: 2 })).rejects.toMatchObject({ type: 'PreconditionFailed' });
  });

  /** Records the baseline and carries out the step after it, by these activities. */
  const twoSteps = async (context: RunContext, second = environment.activities) => {
    const decide = { ...NO_JUDGEMENTS, target: 'ccm' as const };
    await fence(context);
    await step(context);
    const { decision, firstSeen } = await observed(context, decide);
    if (decision.next.kind !== 'step') throw new Error(JSON.stringify(decision.next));
    const next = { decide, planned: decision.next.planned, firstSeen };
    const materials = { ccmManifest: environment.ccmManifest };
    const { summary } = await second.executeStep({ ...context, epoch: 1, materials, ...next });
    expect(summary.mutations).toBeGreaterThan(0);
    return next;
  };

  it('a step is over once another has begun, which is finished itself', async () => {
    const context = asked();
    const next = await twoSteps(context);
    await expect(step(context)).rejects.toMatchObject({
      type: 'PreconditionFailed',
      message: expect.stringContaining('step recordBaseline is not due'),
      details: [expect.objectContaining({ wrote: false })],
    });
    const { decision } = await observed(context, next.decide);
    expect(decision.next).not.toMatchObject({ planned: { step: next.planned.step } });
    await expect(step(context, next)).resolves.toMatchObject({ summary: { mutations: 0 } });
  });

  it('so is one after a step of a worker without an access policy', async () => {
    const context = asked();
    const { authority: _, ...open } = environment.dependencies;
    await twoSteps(context, createActivities(open));
    await expect(step(context)).rejects.toMatchObject({ type: 'PreconditionFailed' });
  });

  it('a handover that must be approved is not carried out before it is', async () => {
    const policy = { ...environment.context.policy, handoverApproval: 'required' } as const;
    const context = {
      ...asked(ANA, { policy: digestJson(policy) }),
      policy,
    };
    await fence(context);
    const { decide, ...handover } = await untilHandover(context);
    await expect(step(context, { decide, ...handover })).rejects.toMatchObject({
      type: 'PreconditionFailed',
      message: expect.stringContaining('waits for the approval handover'),
    });
    const approved = BEN.sign(
      said({ verb: 'approve', runId: context.runId, subject: 'handover', policy: '', target: '' }),
    );
    const allowed = { ...context, authority: { ...context.authority, commands: [approved] } };
    const judged = { ...decide, approvals: ['handover'] };
    await admit(allowed as RunContext);
    await expect(
      step(allowed as RunContext, { decide: judged, ...handover }),
    ).resolves.toMatchObject({ summary: { mutations: expect.any(Number) } });
  });

  it('a handover that two must approve is not carried out when one has', async () => {
    access = accessPolicy([ANA, BEN, CHO], { handoverQuorum: 2 });
    const policy = { ...environment.context.policy, handoverApproval: 'required' } as const;
    const context = { ...asked(ANA, { policy: digestJson(policy) }), policy };
    await fence(context);
    const { decide, ...handover } = await untilHandover(context);
    const approve = said({
      ...{ verb: 'approve', runId: context.runId, subject: 'handover', policy: '', target: '' },
    });
    const by = (...people: (typeof BEN)[]): RunContext => {
      const commands = people.map((each) => each.sign(approve));
      return { ...context, authority: { ...context.authority, commands } } as RunContext;
    };
    const judged = { ...decide, approvals: ['handover'] };
    for (const people of [[BEN], [BEN, BEN]]) {
      await expect(step(by(...people), { decide: judged, ...handover })).rejects.toMatchObject({
        type: 'AuthorityLost',
        message: expect.stringContaining('handover has signed approvals of 1 of 2 people'),
      });
    }
    await admit(by(BEN, CHO));
    await expect(step(by(BEN, CHO), { decide: judged, ...handover })).resolves.toMatchObject({
      summary: { mutations: expect.any(Number) },
    });
  });

  it('a repair needs no standing, and what is only called one is not carried out', async () => {
    access = accessPolicy([ANA, CHO]);
    const begun = asked();
    const approve = said({
      ...{ verb: 'approve', runId: begun.runId, subject: 'handover', target: '' },
    });
    const start = begun.authority?.start ?? ANA.sign(approve);
    const context = { ...begun, authority: { start, commands: [CHO.sign(approve)] } };
    await admit(context);
    await fence(context);
    access = accessPolicy([
      { ...ANA, grants: [] },
      { ...CHO, grants: [] },
    ]);
    await expect(step(context)).rejects.toMatchObject({ type: 'AuthorityLost' });
    const called = planned({
      ...{ name: 'recordBaseline', phase: 'repair', why: 'test', cures: [] },
      effect: { kind: 'recordBaseline' },
    });
    await expect(step(context, { planned: called })).rejects.toMatchObject({
      type: 'PreconditionFailed',
      message: expect.stringContaining('not due: the cluster needs step recordBaseline now'),
    });
    await startSecondOwner();
    const { decision } = await observed(context, NO_JUDGEMENTS);
    if (decision.next.kind !== 'step') throw new Error(JSON.stringify(decision.next));
    expect(decision.next.planned.step.phase).toBe('repair');
    const { planned: next } = decision.next;
    const decide = { ...NO_JUDGEMENTS, target: 'ccm' as const, approvals: ['handover'] };
    await expect(step(context, { planned: next, decide })).resolves.toMatchObject({
      summary: { mutations: expect.any(Number) },
    });
  });
});
