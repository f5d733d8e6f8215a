import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunContext } from '../../../activities/contract.js';
import type { EvidenceStore } from '../../../activities/evidence/evidence-store.js';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import { createActivities } from '../../../activities/index.js';
import type { AccessPolicy, AccessWorker } from '../../../domain/authority/access-policy.js';
import type { EvidenceAuthority } from '../../../domain/evidence/record.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { EMPTY_CHAIN, nextRecord } from '../../../domain/evidence/chain.js';
import { evidenceIntent } from '../../support/evidence-given.js';
import {
  accessPolicy,
  authorityBy,
  testPrincipal,
  type TestWorker,
  testWorker,
} from '../../support/signing.js';
import { type Environment, openEnvironment } from '../environment.js';
import { signedRuns } from './signed-runs.js';

const ANA = testPrincipal('ana', 'requester', 'operator');
const OWN = testWorker('eu');
const OTHER = testWorker('elsewhere');
/** Carries what the worker signed of another record. */
const COPIED = {
  signer: {
    keyId: OWN.keyId,
    sign: () => OWN.signer.sign(nextRecord(EMPTY_CHAIN, ANOTHER)),
    isOwn: () => false,
  },
};
const ANOTHER = { kind: 'intent', intent: evidenceIntent('another') } as const;
type Planter = Pick<TestWorker, 'signer'>;

/** Who can add to the evidence of a run can continue its chain, which needs no key, but cannot sign what it says. */
describe('with workers that an access policy names', () => {
  let environment: Environment;
  let access: AccessPolicy;
  const namingWorkers = (...workers: readonly AccessWorker[]) => accessPolicy([ANA], { workers });
  beforeEach(async () => {
    access = namingWorkers(OWN);
    environment = await openEnvironment({
      authority: authorityBy(() => access),
      signer: OWN.signer,
    });
  });
  afterEach(() => environment.close());

  const { said, asked, admit, fence, step, observed } = signedRuns(() => environment, ANA);
  const TO_KCM = { decide: { ...NO_JUDGEMENTS, target: 'kcm' as const } };
  const planting = (worker?: Planter): EvidenceStore =>
    createFileEvidenceStore(join(environment.stateDir, 'evidence'), worker?.signer);
  const turned = (): RunContext => {
    const context = asked();
    const { runId } = context;
    const back = ANA.sign(said({ verb: 'rollBack', runId, target: '' }));
    return { ...context, authority: { start: ANA.sign(said()), commands: [back] } };
  };
  const authorities = async (): Promise<readonly EvidenceAuthority[]> =>
    (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'authority' ? [entry.authority] : [],
    );
  /** What a worker records of the commands of a run, learnt from one that has the same evidence elsewhere. */
  const plantAcceptance = async (run: RunContext, worker?: Planter): Promise<void> => {
    const elsewhere = createFileEvidenceStore(join(environment.stateDir, 'learnt'), OWN.signer);
    const activities = createActivities({ ...environment.dependencies, evidence: elsewhere });
    const { admit: learn } = signedRuns(() => ({ ...environment, activities }), ANA);
    await learn(run);
    const [accepted] = await elsewhere.acceptances(run);
    if (accepted?.entry.kind !== 'authority') throw new Error('nothing was accepted');
    await planting(worker).recordAuthority(accepted.entry.authority);
  };
  const isRefused = async (run: RunContext): Promise<void> => {
    await expect(step(run, TO_KCM)).rejects.toMatchObject({
      type: 'AuthorityLost',
      message: expect.stringContaining("no worker's acceptance of the rollBack that ana signed"),
    });
  };

  it('a command that one of them admitted is followed', async () => {
    const run = turned();
    await admit(run);
    await fence(run);
    await expect(fence(run, 'n2')).resolves.toMatchObject({ epoch: 2 });
    const records = await environment.evidence();
    expect(records.every((record) => OWN.signer.isOwn(record))).toBe(true);
  });

  it.each([
    ['that no one signed', undefined],
    ['that a worker signed whom the policy does not name', OTHER],
    ['that carries what a worker signed of another record', COPIED],
  ])('an acceptance %s counts for nothing', async (_case, worker) => {
    const run = turned();
    await plantAcceptance(run, worker);
    await isRefused(run);
  });

  it('nor does that of a worker whose key was revoked', async () => {
    const run = turned();
    await admit(run);
    access = namingWorkers({ ...OWN, keys: OWN.keys.map((key) => ({ ...key, revoked: true })) });
    await isRefused(run);
  });

  it('one that was planted does not stand in for what a worker accepts', async () => {
    const run = turned();
    await plantAcceptance(run);
    await admit(run);
    await admit(run);
    expect((await authorities()).filter(({ verb }) => verb === 'rollBack')).toHaveLength(2);
    await expect(fence(run)).resolves.toMatchObject({ epoch: 1 });
  });

  it.each([
    ['without a key', undefined],
    ['with a key that the policy does not name', OTHER],
  ])(
    'one %s admits nothing and records nothing, which no worker would believe',
    async (...given) => {
      const [, worker] = given;
      const run = turned();
      await fence(asked());
      const evidence = planting(worker);
      const activities = createActivities({ ...environment.dependencies, evidence });
      const unnamed = signedRuns(() => ({ ...environment, activities }), ANA);
      await expect(unnamed.admit(run)).rejects.toMatchObject({
        type: 'Unavailable',
        message: expect.stringContaining('CCM_MIGRATE_WORKER_KEY'),
      });
      const records = await environment.evidence();
      expect(records.every((record) => OWN.signer.isOwn(record))).toBe(true);
      const strange = {
        ...run,
        authority: { start: ANA.sign(said({ policy: 'sha256:other' })), commands: [] },
      };
      await expect(unnamed.step(strange)).rejects.toMatchObject({ type: 'AuthorityLost' });
      expect(await environment.evidence()).toEqual(records);
      await admit(run);
      await unnamed.admit(run);
      expect((await authorities()).filter(({ verb }) => verb === 'rollBack')).toHaveLength(1);
    },
  );

  it('a step of which only a planted record says that it had begun is not due', async () => {
    const context = asked();
    await fence(context);
    await step(context);
    const decide = { ...NO_JUDGEMENTS, target: 'ccm' as const };
    const { decision, firstSeen } = await observed(context, decide);
    if (decision.next.kind !== 'step') throw new Error(JSON.stringify(decision.next));
    const next = { decide, planned: decision.next.planned, firstSeen };
    await step(context, next);
    const intents = (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'intent' && entry.intent.due !== undefined ? [entry.intent] : [],
    );
    const [first] = intents;
    const last = intents.at(-1);
    if (first === undefined || last === undefined) throw new Error('the steps wrote nothing');
    await expect(step(context, next)).resolves.toMatchObject({ summary: { mutations: 0 } });
    for (const due of [first, last]) {
      await planting().begin({ ...due, id: `planted ${due.id}` });
      await expect(step(context, due === first ? {} : next)).rejects.toMatchObject({
        type: 'PreconditionFailed',
        message: expect.stringContaining('is not due'),
      });
    }
  });
});
