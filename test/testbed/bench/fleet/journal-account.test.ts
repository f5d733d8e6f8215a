import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  openClusters,
  requireBenchFence,
  type Happening,
} from '../../../../testbed/bench/fleet/bench-cluster.js';
import { readJournal, type JournalLine } from '../../../../testbed/bench/fleet/bench-journal.js';
import { drawFleet } from '../../../../testbed/bench/fleet/drawn-fleet.js';
import {
  accountsOf,
  mostOverlapping,
  stepsBegun,
} from '../../../../testbed/bench/fleet/journal-account.js';
import { SMALL } from './given-parameters.js';

const ROW = { name: 'c-00', wave: 0, canary: true, groups: ['region=r0'], expectedMs: 1 };

type Happened = readonly [atMs: number, what: Happening];

function lines(...happenings: readonly Happened[]): readonly JournalLine[] {
  return happenings.map(([atMs, what]) => ({ atMs, cluster: 'c-00', ...what }));
}

const FENCE = { kind: 'fence', run: 'run-1', nonce: 'n1', epoch: 1 } as const;
const STEP = { kind: 'step', target: 'ccm' } as const;
const SOAK = { kind: 'soak', target: 'ccm' } as const;
const SOAKED = { kind: 'soaked', target: 'ccm' } as const;

function accountOf(...happenings: readonly Happened[]) {
  return accountsOf([ROW], lines(...happenings))[0];
}

describe('the account of a journal', () => {
  it('a proven cluster changes until its soak and is unproven until its end', () => {
    const closed = [30, { kind: 'closed', outcome: 'done' }] as const;
    expect(accountOf([1, FENCE], [2, STEP], [10, SOAK], [28, SOAKED], closed)).toEqual({
      ...{ name: 'c-00', canary: true, groups: ['region=r0'], proven: true, burnt: false },
      ...{ changeMs: 9, soakMs: 18, changed: true, closed: ['done'] },
      ...{ moving: [{ fromMs: 1, toMs: 10 }], unproven: [{ fromMs: 1, toMs: 30 }] },
    });
  });

  it('a cluster that has soaked and is rolled back then is not proven', () => {
    const closed = [30, { kind: 'closed', outcome: 'rolledBack' }] as const;
    expect(accountOf([1, FENCE], [10, SOAK], [28, SOAKED], closed)?.proven).toBe(false);
  });

  it('a soak that is begun again, under another fence too, is one soak', () => {
    const again = [15, { ...FENCE, epoch: 2 }] as const;
    const account = accountOf([1, FENCE], [10, SOAK], again, [16, SOAK], [28, SOAKED]);
    expect(account).toMatchObject({ soakMs: 18, moving: [{ fromMs: 1, toMs: 10 }] });
  });

  it('a failed cluster is burnt and changes until its rollback has ended, whose soak proves nothing', () => {
    const account = accountOf(
      ...([
        [1, FENCE],
        [2, STEP],
        [5, { kind: 'failed', signature: 'kind 1' }],
      ] as const),
      ...([
        [6, { ...STEP, target: 'kcm' }],
        [8, { ...SOAK, target: 'kcm' }],
      ] as const),
      ...([
        [9, { ...SOAKED, target: 'kcm' }],
        [10, { kind: 'closed', outcome: 'rolledBack' }],
      ] as const),
    );
    expect(account).toMatchObject({ burnt: true, proven: false, soakMs: 0, changeMs: 9 });
  });

  it('a cluster that never ended is unproven to the end of the journal', () => {
    const [open] = accountsOf(
      [ROW],
      [...lines([1, FENCE], [2, STEP]), { atMs: 50, cluster: 'c-99', ...STEP }],
    );
    expect(open).toMatchObject({ proven: false, unproven: [{ fromMs: 1, toMs: 50 }] });
  });

  it('intervals that only touch do not overlap', () => {
    const [one, next, over] = [
      [1, 5],
      [5, 9],
      [4, 6],
    ].map(([fromMs = 0, toMs = 0]) => ({ fromMs, toMs }));
    if (one === undefined || next === undefined || over === undefined) throw new Error('Bug');
    expect(mostOverlapping([])).toBe(0);
    expect(mostOverlapping([next, one])).toBe(1);
    expect(mostOverlapping([one, next, over])).toBe(2);
  });

  it('steps count when they begin, not when they end', () => {
    const journal = lines(
      [1, STEP],
      [5, STEP],
      [6, { kind: 'changed', target: 'ccm', done: 1 }],
      [9, STEP],
    );
    expect(stepsBegun(journal, { fromMs: 5, toMs: 9 })).toBe(1);
  });
});

describe('the clusters of the model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-journal-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'journal.jsonl');
  const opened = (nowMs = 7) =>
    openClusters(drawFleet(SMALL), readJournal(file), { file, nowMs: () => nowMs });

  it('clusters are after a restart what the journal says, and no guard has renewed their fence', () => {
    const first = opened();
    const cluster = first.find({ name: 'c-00' });
    first.note(cluster, FENCE);
    cluster.fence.guardedEpoch = 1;
    requireBenchFence(cluster, { runId: 'run-1', epoch: 1 });
    first.note(cluster, { kind: 'changed', target: 'ccm', done: 2 });

    const again = opened().find({ name: 'c-00' });
    expect(again).toMatchObject({ done: 2, fence: { run: 'run-1', nonce: 'n1', epoch: 1 } });
    expect(() => requireBenchFence(again, { runId: 'run-1', epoch: 1 })).toThrow('not renewed');
    expect(() => requireBenchFence(again, { runId: 'run-2', epoch: 1 })).toThrow('another run');
    expect(() => requireBenchFence(again, { runId: 'run-1', epoch: 2 })).toThrow('another run');
  });

  it('a journal with half a line is refused', () => {
    appendFileSync(file, '{"atMs":1');
    expect(() => readJournal(file)).toThrow(SyntaxError);
  });
});
