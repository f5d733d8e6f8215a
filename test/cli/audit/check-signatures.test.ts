import { describe, expect, it } from '@jest/globals';
import type { PlannedStepInput } from '../../../activities/contract.js';
import { checkSignatures } from '../../../cli/audit/check-signatures.js';
import type { RecordedEvent } from '../../../cli/audit/recorded-run.js';
import { nativeDigest } from '../../../activities/native-digest.js';
import type { Envelope } from '../../../domain/authority/signed-envelope.js';
import { type Statement, wholeStatement } from '../../../domain/authority/statement.js';
import { digestJson } from '../../../domain/digest.js';
import type { EvidenceAuthority, EvidenceRecord } from '../../../domain/evidence/record.js';
import { policyOf } from '../../support/cluster-builder.js';
import { NO_JUDGEMENTS, planned } from '../../support/planned.js';
import { accessPolicy, testPrincipal } from '../../support/signing.js';

const ANA = testPrincipal('ana', 'requester', 'operator');
const BEN = testPrincipal('ben', 'approver', 'operator');
const EVE = testPrincipal('eve', 'requester');
const TRUST = accessPolicy([ANA, BEN]);

const POLICY = policyOf();
const MATERIALS = { ccmManifest: 'kind: Pod' };
const TIMINGS = { requestMs: 1000 } as unknown as PlannedStepInput['timings'];
const CLUSTER = { name: 'c1', uid: 'uid-1' };
const RUN = { workflowId: 'cluster-migration/uid-1', runId: 'run-1' };
const PLAN = 'sha256:plan';

const START: Partial<Statement> = {
  ...{ verb: 'apply', workflowId: RUN.workflowId, nonce: 'n', target: 'ccm', cluster: CLUSTER.uid },
  ...{ policy: digestJson(POLICY), materials: digestJson(MATERIALS), timings: digestJson(TIMINGS) },
  ...{ notBefore: 1, notAfter: 2, plan: PLAN },
};

const signed = (by: typeof ANA, changes: Partial<Statement> = {}): Envelope =>
  by.sign(wholeStatement({ ...(START as Statement), ...changes }));
const command = (by: typeof ANA, verb: 'approve' | 'rollBack', subject = ''): Envelope => {
  const plan = verb === 'approve' ? PLAN : '';
  const given = { verb, subject, plan, ...RUN, nonce: verb, notBefore: 1, notAfter: 2 } as const;
  return by.sign(wholeStatement(given));
};
const digestOf = ({ payload }: Envelope): string =>
  nativeDigest(Buffer.from(payload, 'base64').toString('utf8'));

type Entry = Pick<EvidenceRecord, 'entry'>;
const accepted = (of: Envelope, principal: string, verb = 'apply'): Entry => {
  const statement = digestOf(of);
  const authority: EvidenceAuthority = {
    ...{ ...RUN, cluster: 'c1', at: '', verdict: 'accepted', verb, actor: principal, principal },
    ...{ role: 'requester', statement, detail: '' },
  };
  return { entry: { kind: 'authority', authority } };
};

interface Given {
  readonly start?: Envelope | null;
  readonly commands?: readonly Envelope[];
  readonly changes?: Partial<PlannedStepInput>;
}

function step({ start = signed(ANA), commands = [], changes = {} }: Given = {}): RecordedEvent {
  const due = planned({
    ...{ name: 'recordBaseline', phase: 'preflight', why: 'test', cures: [] },
    effect: { kind: 'recordBaseline' },
  });
  const asked = {
    ...{ ...RUN, cluster: CLUSTER, policy: POLICY, timings: TIMINGS, materials: MATERIALS },
    ...{ decide: NO_JUDGEMENTS, planned: due, epoch: 1, planDigest: PLAN },
    ...(start === null ? {} : { authority: { start, commands } }),
    ...changes,
  } as unknown as PlannedStepInput;
  const statement = start === null ? '' : digestOf(start);
  return {
    ...{
      where: 'execution 1, event 7',
      kind: 'step',
      epoch: 1,
      revision: 0,
      ended: 'well',
      mutations: 0,
    },
    ...{ planned: due, statement, asked },
  };
}

const START_ENVELOPE = signed(ANA);
const OF_ANA = [accepted(START_ENVELOPE, 'ana')];
const checked = (given: Given, records: readonly Entry[] = OF_ANA, trust = TRUST) =>
  checkSignatures([step({ start: START_ENVELOPE, ...given })], records, trust);
const toKcm = { decide: { ...NO_JUDGEMENTS, target: 'kcm' as const } };
const approvedStep = { decide: { ...NO_JUDGEMENTS, approvals: ['handover'] } };

describe('the signatures of a run', () => {
  it('pass where all that its steps rest on is signed by who is on record, and name them', async () => {
    const approval = command(BEN, 'approve', 'handover');
    const records = [...OF_ANA, accepted(approval, 'ben', 'approve')];
    expect(await checked({ commands: [approval], changes: approvedStep }, records)).toEqual({
      ...{ check: 'signatures', result: 'pass' },
      detail: 'ana (apply), ben (approve); 1 steps',
    });
  });

  it('still pass once the key was revoked, the statement has expired and roles have changed', async () => {
    const keys = ANA.keys.map((key) => ({ ...key, revoked: true }));
    const trust = accessPolicy([{ ...ANA, keys, grants: [] }, BEN]);
    expect(await checked({}, OF_ANA, trust)).toMatchObject({ result: 'pass' });
  });

  it('stay unproven without a trust, and where no one signed', async () => {
    const events = [step({ start: START_ENVELOPE })];
    expect(await checkSignatures(events, OF_ANA, null)).toMatchObject({
      ...{ result: 'unproven', detail: expect.stringContaining('--trust') },
    });
    expect(await checkSignatures([step({ start: null })], [], TRUST)).toMatchObject({
      ...{ result: 'unproven', detail: 'no one signed: its worker obeyed everyone' },
    });
    expect(await checkSignatures([], [], TRUST)).toMatchObject({ result: 'pass' });
  });

  const own = command(ANA, 'approve', 'handover');
  const back = command(BEN, 'rollBack');
  it.each<[string, Given, readonly Entry[], string]>([
    [
      'another policy in the history',
      { changes: { policy: policyOf({ soakSeconds: 1 }) } },
      OF_ANA,
      'its field policy is not what was signed',
    ],
    [
      'another manifest in the history',
      { changes: { materials: { ccmManifest: 'kind: Job' } } },
      OF_ANA,
      'its field materials is not what was signed',
    ],
    [
      'another cluster in the history',
      { changes: { cluster: { ...CLUSTER, uid: 'uid-2' } } },
      OF_ANA,
      'its field cluster is not what was signed',
    ],
    [
      'a direction without a command',
      { changes: toKcm },
      OF_ANA,
      'no signed command turns it to kcm',
    ],
    ['an approval without a signature', { changes: approvedStep }, OF_ANA, 'no signed approval'],
    [
      'an approval of what the same person asked for',
      { commands: [own], changes: approvedStep },
      [...OF_ANA, accepted(own, 'ana', 'approve')],
      'another person must approve it',
    ],
    [
      'a principal that was rewritten in the evidence',
      {},
      [accepted(START_ENVELOPE, 'ben')],
      'the evidence says that ben asked for what ana signed',
    ],
    [
      'a command whose acceptance is not on record',
      { commands: [back], changes: toKcm },
      OF_ANA,
      'which ben signed',
    ],
    [
      'the signature of a stranger',
      { start: signed(EVE) },
      [accepted(signed(EVE), 'eve')],
      'its key is not in the policy',
    ],
    [
      'a statement that was rewritten under its signature',
      { start: { ...START_ENVELOPE, payload: signed(ANA, { target: 'kcm' }).payload } },
      OF_ANA,
      'its signature is wrong',
    ],
  ])('fail for %s', async (_name, given, records, why) => {
    const { result, detail } = await checked(given, records);
    expect([result, detail]).toEqual(['fail', expect.stringContaining(why)]);
  });

  it('pass an approval of one’s own request only for who may break the glass', async () => {
    const trust = accessPolicy([
      { ...ANA, grants: [{ roles: ['breakGlass'], clusters: {}, fleets: null }] },
    ]);
    const records = [...OF_ANA, accepted(own, 'ana', 'approve')];
    expect(await checked({ commands: [own], changes: approvedStep }, records, trust)).toMatchObject(
      {
        result: 'pass',
      },
    );
  });
});
