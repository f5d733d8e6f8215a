import { describe, expect, it } from '@jest/globals';
import { checkAuthority } from '../../../cli/audit/check-authority.js';
import type { PlannedStepInput } from '../../../activities/contract.js';
import type { RecordedEvent } from '../../../cli/audit/recorded-run.js';
import type { EvidenceAuthority, EvidenceRecord } from '../../../domain/evidence/record.js';
import { planned } from '../../support/planned.js';

type Entry = EvidenceRecord['entry'];
const accepted = (changes: Partial<EvidenceAuthority> = {}): { readonly entry: Entry } => ({
  entry: {
    kind: 'authority',
    authority: {
      ...{ runId: 'r', workflowId: 'w', cluster: 'c', at: '', verdict: 'accepted', verb: 'apply' },
      ...{ actor: 'ana', principal: 'ana', role: 'requester', statement: 'sha256:1', detail: '' },
      ...changes,
    },
  },
});
const CHANGE = { entry: { kind: 'intent', intent: {} } } as unknown as { readonly entry: Entry };
const step = (statement: string): RecordedEvent => ({
  ...{
    where: 'event 1',
    kind: 'step',
    epoch: 1,
    revision: 0,
    ended: 'well',
    mutations: 0,
    statement,
  },
  asked: {} as PlannedStepInput,
  planned: planned({
    ...{ name: 'recordBaseline', phase: 'preflight', why: 'test', cures: [] },
    effect: { kind: 'recordBaseline' },
  }),
});

describe('the audit of who asked', () => {
  it('passes a run that was accepted before it changed anything, and says by whom', () => {
    const records = [
      accepted(),
      CHANGE,
      accepted({ verb: 'approve', principal: 'ben', role: 'approver' }),
    ];
    expect(checkAuthority([step('sha256:1')], records)).toMatchObject({
      ...{ result: 'pass' },
      detail: 'apply by ana as requester; approve by ben as approver, claiming ana',
    });
  });

  it('says first where the glass was broken, and what was refused', () => {
    const refused = accepted({ verdict: 'refused', principal: '', role: '', detail: 'no' });
    const records = [accepted({ role: 'breakGlass' }), refused];
    expect(checkAuthority([step('sha256:1')], records).detail).toBe(
      'BREAK-GLASS; apply by ana as breakGlass; 1 refused',
    );
  });

  it('passes a run of a worker that obeyed everyone, and says so', () => {
    expect(checkAuthority([step('')], [CHANGE])).toMatchObject({
      ...{ result: 'pass', detail: 'no one signed: its worker obeyed everyone' },
    });
  });

  it.each<[string, RecordedEvent[], { readonly entry: Entry }[], string]>([
    ['whose acceptance was removed', [step('sha256:1')], [CHANGE], 'has no acceptance of sha256:1'],
    [
      'that rests on another statement than was accepted',
      [step('sha256:2')],
      [accepted(), CHANGE],
      'has no acceptance of sha256:2',
    ],
    [
      'that was only refused',
      [step('sha256:1')],
      [accepted({ verdict: 'refused' })],
      'has no acceptance of sha256:1',
    ],
    [
      'some of whose steps rest on nothing',
      [step('sha256:1'), step('')],
      [accepted(), CHANGE],
      'and some on none',
    ],
    [
      'that was accepted after a change',
      [step('sha256:1')],
      [CHANGE, accepted()],
      'accepted after',
    ],
  ])('fails a run %s', (_, events, records, why) => {
    expect(checkAuthority(events, records)).toMatchObject({
      ...{ result: 'fail', detail: expect.stringContaining(why) },
    });
  });
});
