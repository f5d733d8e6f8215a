import type { PlannedStepInput, RunContext } from '../../../activities/contract.js';
import {
  memberLevels,
  memberProof,
  membersRoot,
  type SignedWave,
} from '../../../domain/authority/member-tree.js';
import { type Statement, wholeStatement } from '../../../domain/authority/statement.js';
import type { DecisionRequest } from '../../../domain/decision/run-decision.js';
import type { Step } from '../../../domain/decision/step.js';
import { digestJson } from '../../../domain/digest.js';
import type { OperatorVerb } from '../../../domain/run/operator-verbs.js';
import { NO_JUDGEMENTS, planned } from '../../support/planned.js';
import type { Signatory } from '../../support/signing.js';
import type { Environment } from '../environment.js';

/** Runs that are asked for by a signature, and their activities one at a time. */
export function signedRuns(current: () => Environment, requester: Signatory) {
  const said = (changes: Partial<Statement> = {}): Statement => {
    const { context, ccmManifest, clock } = current();
    const now = Math.floor(clock.nowMs() / 1000);
    return wholeStatement({
      ...{ verb: 'apply', workflowId: context.workflowId, nonce: 'n', target: 'ccm' },
      plan: context.planDigest,
      ...{ cluster: context.cluster.uid, policy: digestJson(context.policy) },
      ...{ materials: digestJson({ ccmManifest }), timings: digestJson(context.timings) },
      ...{ notBefore: now, notAfter: now + 3600 },
      ...changes,
    });
  };
  const asked = (by = requester, changes: Partial<Statement> = {}): RunContext => ({
    ...current().context,
    authority: { start: by.sign(said(changes)), commands: [] },
  });

  /** The statement of a fleet of this one cluster, and its place in it. */
  const inFleet = (changes: Partial<Statement> = {}, wave?: SignedWave) => {
    const { context, ccmManifest } = current();
    const [policy, timings] = [digestJson(context.policy), digestJson(context.timings)];
    const materials = digestJson({ ccmManifest });
    const { uid: cluster } = context.cluster;
    const levels = memberLevels([{ cluster, policy, materials, timings, ...(wave && { wave }) }]);
    const ofFleet = { fleet: 'eu', workflowId: 'fleet-migration/eu', members: membersRoot(levels) };
    const nothing = { cluster: '', policy: '', timings: '', materials: '' };
    return {
      start: requester.sign(said({ ...ofFleet, ...nothing, ...changes })),
      member: { grant: 1, materials, proof: memberProof(levels, 0), ...(wave && { wave }) },
    };
  };

  /** These commands in the order of their arrival, each as a worker admits it. */
  const admit = async (context: RunContext): Promise<void> => {
    const { authority = { start: requester.sign(said()), commands: [] } } = context;
    for (const signed of authority.commands) {
      const text = Buffer.from(signed.payload, 'base64').toString();
      const { verb, nonce: commandId, subject, plan, actor } = JSON.parse(text) as Statement;
      const admission = await current().activities.admitCommand({
        ...{ ...context, authority: { ...authority, commands: [] } },
        // When the run was turned since, an approval was of the plan that it had then.
        planDigest: plan === '' ? context.planDigest : plan,
        command: {
          ...{ commandId, verb: verb as OperatorVerb, signed, actor, reason: '' },
          ...{ ticket: '', arguments: subject === '' ? {} : { code: subject } },
        },
      });
      if (admission.kind === 'refused') throw new Error(admission.why);
    }
  };

  const fence = (context: RunContext, nonce = 'n1') =>
    current().activities.takeFence({ ...context, nonce, acknowledge: false });
  const step = (context: RunContext, changes: Partial<PlannedStepInput> = {}) => {
    const due: Step = {
      ...{ name: 'recordBaseline', phase: 'preflight', why: 'test' },
      ...{ effect: { kind: 'recordBaseline' }, cures: ['CCM3001', 'CCM3002'] },
    };
    return current().activities.executeStep({
      ...{ ...context, epoch: 1, planned: planned(due), firstSeen: [] },
      decide: { ...NO_JUDGEMENTS, target: 'ccm' },
      materials: { ccmManifest: current().ccmManifest },
      ...changes,
    });
  };
  const observed = (context: RunContext, decide: DecisionRequest) =>
    current().activities.observeCluster({ ...context, epoch: 1, decide, firstSeen: [] });
  return { said, asked, inFleet, admit, fence, step, observed };
}
