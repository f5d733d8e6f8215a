import { describe, expect, it } from '@jest/globals';
import { nativeDigest } from '../../../../activities/native-digest.js';
import type { Envelope } from '../../../../domain/authority/signed-envelope.js';
import { type StatementPart, wholeStatement } from '../../../../domain/authority/statement.js';
import { accessPolicy, testPrincipal } from '../../../support/signing.js';
import { CONTEXT, payloads, type WrittenActivity } from '../written-run.js';
import {
  authorityEntry,
  commandEvent,
  intentEntry,
  outcomeEntry,
  signalEvent,
  stepActivity,
  told,
} from './told-account.js';

const ANA = testPrincipal('ana', 'requester', 'operator');
const EVE = testPrincipal('eve', 'operator');
const TRUST = accessPolicy([ANA]);

const { workflowId, runId } = CONTEXT;
const TIME = { notBefore: 1, notAfter: 2 };
const signed = (by: typeof ANA, part: Partial<StatementPart> = {}): Envelope =>
  by.sign(wholeStatement({ verb: 'skip', workflowId, runId, nonce: 'skip', ...TIME, ...part }));
const digestOf = ({ payload }: Envelope): string =>
  nativeDigest(Buffer.from(payload, 'base64').toString('utf8'));

const STAMP = { principal: { type: 'users', name: 'ben' } };

describe('how it is known who asked', () => {
  const own = signed(ANA, { reason: 'reason of skip' });
  const cut = { ...own, payload: Buffer.from('{}').toString('base64') };
  const record = (principal: string) => [
    authorityEntry({ verb: 'skip', principal, role: 'operator', statement: digestOf(own) }),
  ];

  it.each([
    ['a claim', {}, { how: 'claimed', principal: '', client: 'cli@host', doubt: '' }],
    ['a stamp of the server', { event: STAMP }, { how: 'stamped', server: 'users ben', doubt: '' }],
    ['a signature without trust', { said: { signed: own } }, { how: 'unchecked', principal: '' }],
    [
      'a signature with trust',
      { said: { signed: own }, trust: TRUST },
      { how: 'signed', principal: 'ana', doubt: '' },
    ],
    [
      'a signature that the evidence gives to another',
      { said: { signed: own }, trust: TRUST, entries: record('boss') },
      {
        how: 'signed',
        principal: 'ana',
        role: 'operator',
        doubt: 'the evidence says that boss signed',
      },
    ],
    [
      'a key that no one trusts',
      { said: { signed: signed(EVE) }, trust: TRUST },
      { how: 'forged', principal: '', doubt: 'its key is not in the policy' },
    ],
    [
      'a statement that was changed',
      { said: { signed: cut }, trust: TRUST },
      { how: 'forged', doubt: 'its signature is wrong' },
    ],
    [
      'a signature over another verb',
      { said: { signed: signed(ANA, { verb: 'retry' }) }, trust: TRUST },
      { how: 'signed', doubt: 'signed for retry' },
    ],
    [
      'a reason that was not signed',
      { said: { signed: own, reason: 'forged reason' }, trust: TRUST },
      { how: 'signed', doubt: 'signed with another reason: reason of skip' },
    ],
    [
      'a ticket that was not signed',
      { said: { signed: own, ticket: 'CHG-FORGED' }, trust: TRUST },
      { how: 'signed', doubt: 'signed with another ticket: none' },
    ],
    [
      'a name that was not signed',
      { said: { signed: signed(ANA, { actor: 'ana' }), actor: 'mallory' }, trust: TRUST },
      { how: 'signed', doubt: 'signed with another actor: ana' },
    ],
  ])(
    '%s',
    async (
      _,
      {
        said = {},
        event = {},
        trust,
        entries = [],
      }: {
        said?: object;
        event?: object;
        trust?: typeof TRUST;
        entries?: ReturnType<typeof record>;
      },
      known,
    ) => {
      const { requests } = await told({
        written: [commandEvent('skip', said, event)],
        entries,
        ...(trust === undefined ? {} : { trust }),
      });
      expect(requests.map(({ verb }) => verb)).toEqual(['apply', 'skip']);
      expect(requests[1]?.known).toMatchObject(known);
    },
  );

  it('a signer in the evidence is doubted where the history has no signature', async () => {
    const { requests } = await told({ written: [commandEvent('skip')], entries: record('ana') });
    expect(requests).toHaveLength(3);
    expect(requests.map(({ known }) => known.doubt)).toContain(
      'only the evidence says so: the history has no such request',
    );
  });
});

describe('what was asked', () => {
  const admission = (commandId: string, result: object): WrittenActivity => ({
    ...{ name: 'admitCommand', result },
    input: { ...CONTEXT, command: { commandId } },
  });

  it('a command that was refused is told once, with why', async () => {
    const why = 'no role of ben allows it';
    const { requests } = await told({
      written: [commandEvent('skip'), admission('skip', { kind: 'refused', why })],
      entries: [
        authorityEntry({
          verb: 'skip',
          actor: 'ben',
          verdict: 'refused',
          principal: '',
          role: '',
          detail: why,
        }),
      ],
    });
    expect(requests).toHaveLength(2);
    expect(requests[1]).toMatchObject({
      verb: 'skip',
      actor: 'ben',
      verdict: 'refused',
      detail: why,
    });
  });

  it('a refusal that only the evidence has is told, too', async () => {
    const { requests } = await told({
      entries: [
        authorityEntry({ verdict: 'refused', principal: '', role: '', detail: 'no statement' }),
      ],
    });
    expect(requests[1]).toMatchObject({
      verb: 'apply',
      verdict: 'refused',
      detail: 'no statement',
    });
    expect(requests[1]?.known.doubt).toBe('');
  });

  it('the start, its ticket and its plan are those of its input', async () => {
    const input = {
      actor: 'ana',
      reason: 'why',
      ticket: 'CHG-1',
      planDigest: 'sha256:p',
      target: 'kcm',
      fleet: 'f',
      policy: {},
    };
    const account = await told({ started: { input: payloads(input), identity: 'cli@laptop' } });
    expect(account).toMatchObject({ ticket: 'CHG-1', plan: 'sha256:p', target: 'kcm', fleet: 'f' });
    expect(account.requests[0]).toMatchObject({
      actor: 'ana',
      reason: 'why',
      known: { client: 'cli@laptop' },
    });
  });

  it('orders of a fleet, and what was signed for all of it, are told', async () => {
    const approval = signed(ANA, {
      verb: 'approve',
      fleet: 'prod',
      actor: 'ana',
      reason: 'reviewed',
    });
    const carried = {
      name: 'observeCluster',
      input: { ...CONTEXT, authority: { commands: [approval] } },
      result: {},
    };
    const order = { kind: 'turn', target: 'kcm', by: { actor: 'ops', reason: 'alarm' } };
    const { requests } = await told({
      written: [signalEvent('order', { order }), carried, carried],
      trust: TRUST,
    });
    expect(
      requests.map(({ verb, subject, actor, reason }) => [verb, subject, actor, reason]),
    ).toEqual([
      ['apply', '', 'ana', 'CHG-1'],
      ['fleet turn', 'kcm', 'ops', 'alarm'],
      ['approve', '', 'ana', 'reviewed'],
    ]);
    expect(requests[2]?.known).toMatchObject({ how: 'signed', principal: 'ana', doubt: '' });
  });

  it('a run that was terminated in the middle says by what, and what has no end', async () => {
    const terminated = { reason: 'wrong cluster', identity: 'temporal-cli:eve@laptop' };
    const account = await told({
      written: [stepActivity('startCcm', { from: 0, to: 2 })],
      end: [
        {
          activityTaskScheduledEventAttributes: {
            activityType: { name: 'executeStep' },
            input: payloads(stepActivity('stopCcm', { from: 2, to: null }).input),
          },
        },
        { workflowExecutionTerminatedEventAttributes: terminated },
      ],
      entries: [intentEntry('a'), outcomeEntry('a'), intentEntry('b', { step: 'stopCcm' })],
    });
    expect(account).toMatchObject({ outcome: 'terminated', summary: '' });
    expect(account.requests.at(-1)).toMatchObject({
      ...{ verb: 'terminate', reason: 'wrong cluster', verdict: 'unsaid' },
      known: { how: 'claimed', client: 'temporal-cli:eve@laptop' },
    });
    expect(
      account.steps.map(({ name, outcome, changes }) => [name, outcome, changes[0]?.outcome]),
    ).toEqual([
      ['startCcm', 'done', 'applied'],
      ['stopCcm', 'open', 'open'],
    ]);
  });
});
