import { describe, expect, it } from '@jest/globals';
import type { TakeFenceInput } from '../../../activities/contract.js';
import type { FenceRecord } from '../../../activities/fence/fence-record.js';
import type { Granting } from '../../../activities/fence/fence-record.js';
import { grantedFence, readFence, releasedFence } from '../../../activities/fence/fence-record.js';
import { judgeFence, openBreaches } from '../../../activities/fence/read-fence.js';
import { decideFence } from '../../../activities/fence/take-fence.js';
import { runContext } from '../run-context.js';

const fence = (changes: Partial<FenceRecord> = {}): FenceRecord => ({
  resourceVersion: '5',
  runId: 'run-1',
  workflowId: 'cluster-migration/uid-1',
  actor: 'ana',
  epoch: 3,
  guardedEpoch: 3,
  nonce: 'n1',
  breach: '',
  acknowledged: [],
  displaced: '',
  ended: [],
  mode: 'active',
  renewedAtMs: 100_000,
  ...changes,
});

const input = (changes: Partial<TakeFenceInput> = {}): TakeFenceInput => ({
  ...runContext(),
  runId: 'run-1',
  nonce: 'n1',
  acknowledge: true,
  ...changes,
});

describe('who gets the fence', () => {
  const takeOver = { reason: 'the laptop is lost' };

  it.each([
    ['no fence exists', input(), null, { kind: 'take', displaced: '' }],
    [
      'a repeated request of the run that holds it',
      input(),
      fence(),
      { kind: 'held', grant: { epoch: 3, displaced: '' } },
    ],
    [
      'the same run with another nonce, in a new epoch',
      input({ nonce: 'n2' }),
      fence(),
      { kind: 'take', displaced: '' },
    ],
    ['a released fence', input(), fence({ runId: '' }), { kind: 'take', displaced: '' }],
    [
      'a take-over from another run',
      input({ takeOver }),
      fence({ runId: 'run-0' }),
      { kind: 'take', displaced: 'run-0' },
    ],
    [
      'a take-over requested twice',
      input({ takeOver }),
      fence({ displaced: 'run-0' }),
      { kind: 'held', grant: { epoch: 3, displaced: 'run-0' } },
    ],
  ] as const)('the fence is granted: %s', (_name, asked, found, expected) => {
    expect(decideFence(asked, found)).toEqual(expected);
  });

  it('the fence is refused to a second run, with holder, actor and how to take over', () => {
    const answer = decideFence(input({ runId: 'run-2' }), fence());
    expect(answer).toMatchObject({ kind: 'refuse' });
    expect(JSON.stringify(answer)).toMatch(
      /run-1 of cluster-migration\/uid-1 \(ana\).*--take-over --reason/,
    );
  });

  it('the fence never expires by time: one renewed long ago is still held', () => {
    const old = fence({ runId: 'run-0', renewedAtMs: 0 });
    expect(decideFence(input(), old).kind).toBe('refuse');
  });

  it('a displaced run does not re-acquire the fence with its old order', () => {
    const mine = fence({ runId: 'run-2', displaced: 'run-1' });
    expect(decideFence(input({ takeOver }), mine).kind).toBe('refuse');
  });

  it('a run never re-acquires the fence that it has released, and gets its own message', () => {
    const released = readFence(releasedFence(fence(), 200_000));
    expect(released).toMatchObject({ runId: '', ended: ['run-1'], epoch: 3 });
    const late = decideFence(input({ nonce: 'n2' }), released);
    expect(late).toMatchObject({ kind: 'refuse', type: 'FenceLost' });
    expect(JSON.stringify(late)).toMatch(/this run has ended/);
    expect(decideFence(input({ runId: 'run-2', takeOver }), released)).toMatchObject({
      kind: 'take',
    });
  });

  it('the fence stores the latest few runs that have ended', () => {
    let record = fence();
    for (const runId of ['run-1', 'run-2', 'run-3', 'run-4', 'run-5', 'run-6']) {
      const taken = readFence(grantedFence(input({ runId }), record, granting(200_000)));
      expect(taken.ended).toEqual(record.ended);
      record = readFence(releasedFence(taken, 200_000));
    }
    expect(record.ended).toEqual(['run-2', 'run-3', 'run-4', 'run-5', 'run-6']);
  });

  it('the fence is closed when it is acquired, until a guard has observed the new epoch', () => {
    const taken = readFence(grantedFence(input({ nonce: 'n2' }), fence(), granting(200_000)));
    expect(taken).toMatchObject({ epoch: 4, guardedEpoch: 0 });
    const token = { ...runContext(), runId: 'run-1', epoch: 4, cures: [] };
    expect(judgeFence(token, taken, 200_000)).toMatchObject({ type: 'Unguarded' });
    const seen = { ...taken, guardedEpoch: 4 };
    expect(judgeFence(token, seen, 200_000)).toEqual({ kind: 'open' });
  });

  it.each([
    ['breaches that are acknowledged now', true, 'run-1', [], ['CCM3004', 'CCM3005']],
    ['no breach that was not acknowledged', false, 'run-1', [], []],
    ['an earlier breach that still lasts', false, 'run-1', ['CCM3004', 'CCM3002'], ['CCM3004']],
    ['no breach of another run', true, 'run-0', ['CCM3004'], []],
  ] as const)('a new epoch carries %s', (_name, acknowledge, runId, acknowledged, expected) => {
    const breach = 'CCM3004 noCrashLoop: x\nCCM3001 oneOwner: y\nCCM3005 nodesReady: z';
    const before = fence({ runId, acknowledged, breach });
    const asked = input({ nonce: 'n2', acknowledge, takeOver });
    expect(readFence(grantedFence(asked, before, granting(200_000))).acknowledged).toEqual(
      expected,
    );
  });

  it('a new epoch acknowledges only the breaches that a rollback may live with', () => {
    const before = fence({ breach: 'CCM3004 noCrashLoop: x\nCCM3001 oneOwner: y' });
    const record = readFence(grantedFence(input({ nonce: 'n2' }), before, granting(200_000)));
    expect(record).toMatchObject({ epoch: 4, acknowledged: ['CCM3004'], renewedAtMs: 200_000 });
    expect(record.breach).toBe(before.breach);
  });
});

describe('the statements that a fence remembers', () => {
  const DAY_S = 86_400;
  const remembered = (notAfters: readonly number[], nowMs: number): readonly string[] => {
    const statements = notAfters.map((notAfter) => ({ once: `s${String(notAfter)}`, notAfter }));
    const accepted = { once: 'new', notAfter: 9 * DAY_S, version: 1 };
    const given = { ...granting(nowMs), accepted };
    const record = readFence(grantedFence(input({ nonce: 'n2' }), fence({ statements }), given));
    return (record.statements ?? []).map(({ once }) => once);
  };

  it('stay a day longer than they could come again: a worker goes by another clock', () => {
    const [old, recent] = [DAY_S - 1, DAY_S + 1];
    expect(remembered([old, recent], 2 * DAY_S * 1000)).toEqual([`s${String(recent)}`, 'new']);
  });

  it('are hundreds, and those go first whose time is over first', () => {
    const many = Array.from({ length: 600 }, (_, index) => 5 * DAY_S - index);
    const kept = remembered(many, DAY_S * 1000);
    expect(kept).toHaveLength(512);
    expect(kept.at(-1)).toBe('new');
    expect(kept).toContain(`s${String(5 * DAY_S)}`);
    expect(kept).not.toContain(`s${String(5 * DAY_S - 599)}`);
  });
});

describe('whether a run may write', () => {
  const token = { ...runContext(), runId: 'run-1', epoch: 3, cures: ['CCM3002'] };

  it.each([
    ['its own fence, renewed recently', fence(), 115_000, null],
    ['no fence', null, 100_000, 'FenceLost'],
    ['the fence of another run', fence({ runId: 'run-2' }), 100_000, 'FenceLost'],
    ['a released fence', fence({ runId: '' }), 100_000, 'FenceLost'],
    ['its own fence in another epoch', fence({ epoch: 4 }), 100_000, 'FenceLost'],
    ['a fence that was not renewed for three intervals', fence(), 115_001, 'Unguarded'],
    ['a fence that a server three intervals ahead has renewed', fence(), 85_000, null],
    ['a fence that a server far ahead has renewed', fence(), 84_999, 'Unguarded'],
    ['an idle fence that a server ahead has renewed', fence({ mode: 'idle' }), 10_000, null],
    ['an idle fence that one far ahead has', fence({ mode: 'idle' }), 9_999, 'Unguarded'],
    ['an idle fence, renewed less often', fence({ mode: 'idle' }), 190_000, null],
    ['a fence that was never renewed', fence({ renewedAtMs: null }), 100_000, 'Unguarded'],
    [
      'a fence just acquired, and observed by no guard',
      fence({ guardedEpoch: 0 }),
      100_000,
      'Unguarded',
    ],
    [
      'a fence observed by a guard in the epoch before',
      fence({ guardedEpoch: 2 }),
      100_000,
      'Unguarded',
    ],
    ['a fence of another epoch, unguarded', fence({ epoch: 4 }), 100_000, 'FenceLost'],
    [
      'a breach that an old guard left',
      fence({ guardedEpoch: 2, breach: 'CCM3001 x' }),
      100_000,
      'Unguarded',
    ],
    ['a breach', fence({ breach: 'CCM3001 two owners' }), 100_000, 'Breach'],
    ['a breach that the step repairs', fence({ breach: 'CCM3002 none' }), 100_000, null],
    [
      'one breach that the step repairs and one that it does not',
      fence({ breach: 'CCM3002 none\nCCM3005 cp-1' }),
      100_000,
      'Breach',
    ],
    [
      'a breach acknowledged with this epoch',
      fence({ breach: 'CCM3005 cp-1', acknowledged: ['CCM3005'] }),
      100_000,
      null,
    ],
  ] as const)(
    'the fence decides whether a run may write: %s',
    (_name, found, serverTimeMs, type) => {
      const verdict = judgeFence(token, found, serverTimeMs);
      expect(verdict.kind === 'closed' ? verdict.type : null).toBe(type);
    },
  );

  it.each([
    ['the soft gate that a person has skipped', 'CCM3101 cloudErrors: 9 of 40', []],
    ['another gate', 'CCM3101 cloudLatency: slow', ['CCM3101']],
    ['another finding of that gate', 'CCM3103 cloudErrors: unread', ['CCM3103']],
    ['a hard gate of that name', 'CCM3005 cloudErrors: cp-1', ['CCM3005']],
  ])('a skip opens the fence for exactly one soft gate: %s', (_name, breach, left) => {
    const waivedGates = ['CCM3101', 'CCM3005'].map((code) => ({ gate: 'cloudErrors', code }));
    const open = openBreaches(fence({ breach }), { cures: [], waivedGates });
    expect(open.map(({ code }) => code)).toEqual(left);
  });
});

function granting(serverTimeMs: number): Granting {
  return { displaced: '', serverTimeMs, accepted: null };
}
