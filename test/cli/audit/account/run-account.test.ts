import { describe, expect, it } from '@jest/globals';
import { CONTEXT, payloads, type WrittenActivity } from '../written-run.js';
import { intentEntry, outcomeEntry, signalEvent, stepActivity, told } from './told-account.js';

describe('the changes of a step', () => {
  const objects = ({ steps, unplaced }: Awaited<ReturnType<typeof told>>) => ({
    steps: steps.map(({ node, changes }) => [node, ...changes.map(({ object }) => object)]),
    unplaced: unplaced.map(({ object }) => object),
  });

  it.each([
    [
      'are those between the records before it and after it',
      [
        stepActivity('startCcm', { from: 0, to: 2, node: 'cp-1' }),
        stepActivity('startCcm', { from: 2, to: 4, node: 'cp-2' }),
      ],
      ['a', 'b'],
      {
        steps: [
          ['cp-1', 'Lease a'],
          ['cp-2', 'Lease b'],
        ],
        unplaced: [],
      },
    ],
    [
      'of a step that failed are those before the next report',
      [
        stepActivity('startCcm', { from: 0, to: null, node: 'cp-1' }),
        stepActivity('verify', { from: 0, to: 4 }),
      ],
      ['a', 'b'],
      { steps: [['cp-1', 'Lease a', 'Lease b'], ['']], unplaced: [] },
    ],
    [
      'of another epoch are not its own',
      [stepActivity('startCcm', { from: 0, to: 4, epoch: 2 })],
      ['a', 'b'],
      { steps: [['']], unplaced: ['Lease a', 'Lease b'] },
    ],
    [
      'are not given to it twice, whatever it claims',
      [stepActivity('startCcm', { from: 0, to: 4 }), stepActivity('startCcm', { from: 0, to: 4 })],
      ['a', 'b'],
      { steps: [['', 'Lease a', 'Lease b'], ['']], unplaced: [] },
    ],
    ['that no step asked for stand apart', [], ['a'], { steps: [], unplaced: ['Lease a'] }],
  ])('%s', async (_, written, ids, expected) => {
    const entries = ids.flatMap((id) => [intentEntry(id), outcomeEntry(id)]);
    expect(objects(await told({ written, entries }))).toEqual(expected);
  });

  it('of one that says that it wrote nothing are none', async () => {
    const input = stepActivity('startCcm', { from: 0, to: null }).input;
    const failure = {
      message: 'no guard',
      applicationFailureInfo: { type: 'Unguarded', details: payloads({ wrote: false }) },
    };
    const failed = [
      {
        event: {
          activityTaskScheduledEventAttributes: {
            activityType: { name: 'executeStep' },
            input: payloads(input),
          },
        },
      },
      { event: { activityTaskFailedEventAttributes: { scheduledEventId: '2', failure } } },
    ];
    const account = await told({
      written: [...failed, stepActivity('startCcm', { from: 0, to: 2, node: 'cp-2' })],
      entries: [intentEntry('a'), outcomeEntry('a')],
    });
    expect(objects(account).steps).toEqual([[''], ['cp-2', 'Lease a']]);
    expect(account.steps[0]).toMatchObject({ outcome: 'failed', detail: 'Unguarded: no guard' });
  });

  it('keep their outcome and proof', async () => {
    const { steps } = await told({
      written: [stepActivity('startCcm', { from: 0, to: 4 })],
      entries: [
        ...[intentEntry('a', { proof: 'host is gone' }), outcomeEntry('a', 'refused', '409')],
        ...[intentEntry('b'), outcomeEntry('b', 'sometimes' as 'applied')],
      ],
    });
    expect(steps[0]).toMatchObject({
      why: 'why startCcm',
      changes: [
        {
          outcome: 'refused',
          detail: '409',
          proof: 'host is gone',
          before: 'sha256:1',
          after: 'sha256:2',
        },
        { outcome: 'open' },
      ],
    });
  });
});

describe('what held a run and let it go on', () => {
  const VERDICT = {
    gate: 'quorum',
    hardness: 'hard',
    verdict: 'fail',
    detail: 'lost',
    code: 'CCM3001',
  };
  const act = (name: string, input: object, result: object): WrittenActivity => ({
    name,
    input: { ...CONTEXT, ...input },
    result,
  });
  const decision = (next: object, signature = 's') => ({ decision: { next, signature } });
  const waiver = { code: 'CCM1109', actor: 'ben', reason: 'known' };

  it.each([
    ['a breach', [signalEvent('breach', VERDICT)], ['breach quorum CCM3001 lost']],
    [
      'a gate that failed in a soak',
      [act('soak', {}, { verdicts: [VERDICT, { ...VERDICT, verdict: 'pass' }] })],
      ['held quorum CCM3001 fail: lost'],
    ],
    [
      'a note, which holds nothing',
      [act('soak', {}, { verdicts: [{ ...VERDICT, verdict: 'noData', noted: true }] })],
      [],
    ],
    [
      'a soak',
      [
        act(
          'soak',
          {},
          {
            complete: true,
            verdicts: [VERDICT].map((each) => ({ ...each, verdict: 'pass' })),
            progress: { soakedMs: 5000 },
          },
        ),
      ],
      ['passed soak  5.0 s, 1 gate measured'],
    ],
    [
      'an approval that is missing, once while it is',
      [1, 2].map(() =>
        act('observeCluster', {}, decision({ kind: 'step', planned: { approval: 'handover' } })),
      ),
      ['waits handover  '],
    ],
    [
      'findings that leave no safe step',
      [
        act(
          'observeCluster',
          {},
          decision({
            kind: 'blocked',
            findings: [{ code: 'CCM2001', subject: 'node cp-1', seen: 'unknown' }],
          }),
        ),
      ],
      ['blocked node cp-1 CCM2001 unknown'],
    ],
    [
      'approvals and waivers, once while they are in force',
      [1, 2].map(() =>
        act(
          'observeCluster',
          {
            decide: {
              target: 'ccm',
              approvals: ['handover'],
              waivers: [waiver],
              waivedGates: [{ gate: 'g', code: 'CCM3104' }],
            },
          },
          {},
        ),
      ),
      ['approved handover  ', 'waived  CCM1109 ben: known', 'waived g CCM3104 '],
    ],
    [
      'a change of direction',
      ['ccm', 'kcm'].map((target) =>
        act('observeCluster', { decide: { target }, reason: `to ${target}` }, {}),
      ),
      ['turned kcm  ana: to kcm'],
    ],
    [
      'breaches that were acknowledged',
      [act('takeFence', { acknowledge: true }, { epoch: 2 })],
      ['acknowledged breaches  ana'],
    ],
    [
      'nothing of a shape that is none of ours',
      [signalEvent('command', {}), act('soak', { decide: 7 }, { verdicts: 'x', decision: [] })],
      [],
    ],
  ])('%s', async (_, written, expected) => {
    const { events } = await told({ written });
    expect(
      events.map(({ kind, subject, code, detail }) => `${kind} ${subject} ${code} ${detail}`),
    ).toEqual(expected);
  });
});

describe('an export that is hard to read', () => {
  it('says how much of it could not be read', async () => {
    const sealedPayload = { payloads: [{ metadata: { encoding: 'eA==' }, data: 'AA==' }] };
    const attributes = { signalName: 'command', input: sealedPayload };
    const account = await told({
      written: [{ event: { workflowExecutionSignaledEventAttributes: attributes } }],
    });
    expect(account.unread).toEqual(['not read: 1 payload of the history']);
  });

  it('of ten thousand steps is told whole', async () => {
    const steps = [...Array(10_000).keys()];
    const account = await told({
      written: steps.map((at) => stepActivity('startCcm', { from: at * 2, to: at * 2 + 2 })),
      entries: steps.flatMap((at) => [
        intentEntry(`i-${String(at)}`),
        outcomeEntry(`i-${String(at)}`),
      ]),
    });
    expect(account.steps).toHaveLength(10_000);
    expect(account.steps.every(({ changes }) => changes.length === 1)).toBe(true);
    // Far more than it takes: in time that grows with their square it would not end.
  }, 120_000);
});
