import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { check } from 'prettier';
import type { BrakeAccount } from '../../../../testbed/bench/brake/brake-account.js';
import { brakeBars } from '../../../../testbed/bench/brake/brake-bars.js';
import { drawnRuns, SITUATIONS } from '../../../../testbed/bench/brake/brake-draws.js';
import { brakeGroups, type BrakeFigures } from '../../../../testbed/bench/brake/brake-figures.js';
import { readBrakeOptions } from '../../../../testbed/bench/brake/brake-options.js';
import { brakeSection, brakeTable } from '../../../../testbed/bench/brake/brake-page.js';
import {
  appendBrakeRecord,
  readBrakeRecords,
  type BrakeRecord,
} from '../../../../testbed/bench/brake/brake-records.js';
import { delayIn, readDelays } from '../../../../testbed/bench/brake/loop-delay.js';
import { createDraws } from '../../../../testbed/simulator/clock/draws.js';

const ACCOUNT: BrakeAccount = {
  ...{ situation: 'pausedOwner', phase: 'changing', step: 'startCcm', end: '' },
  ...{ lastNewMs: 2_000, lastNew: 'startCcm: patch pods a', newWrites: 1, finishing: 0, cures: 0 },
  ...{ closedMs: 2_000, isStopped: true },
};

/** All promises are kept, barely. */
const ACCOUNTS: readonly BrakeAccount[] = [
  ...Array.from({ length: 60 }, () => ACCOUNT),
  ...Array.from({ length: 20 }, () => ({
    ...{ ...ACCOUNT, situation: 'pausedInHold' as const, phase: 'waiting' as const },
    ...{ lastNewMs: null, closedMs: 12_000 },
  })),
  ...Array.from({ length: 20 }, () => ({
    ...{ ...ACCOUNT, situation: 'cloudRefuses' as const, finishing: 3 },
    ...{ lastNewMs: 20_000, closedMs: 20_000 },
  })),
];

const FIGURES: BrakeFigures = {
  ...{ seconds: 600, accounts: ACCOUNTS, missed: ['never began'], guardGapP99: 1.5 },
  loopDelays: { 'probed-worker': { p99: 4, max: 60 }, main: { p99: 8, max: 90 } },
};

const RECORD: BrakeRecord = {
  ...{ kind: 'BrakeRun', at: '2026-11-25T12:00:00.000Z', figures: FIGURES },
  machine: { cores: 2, memoryGiB: 24, kernel: 'Linux 6.18' },
  parameters: { runs: 100, together: 8, seed: 7 },
};

function broken(
  more: Partial<BrakeAccount>,
  figures: Partial<BrakeFigures> = {},
): readonly string[] {
  const [first, ...others] = ACCOUNTS;
  if (first === undefined) throw new Error('there are accounts');
  const accounts = [{ ...first, ...more }, ...others];
  return brakeBars({ ...FIGURES, accounts, ...figures })
    .filter(({ holds }) => !holds)
    .map(({ said }) => said);
}

const folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-brake-test-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the bars of the brake', () => {
  it('figures that keep all promises break none', () => {
    expect(broken({})).toEqual([]);
  });

  it.each<readonly [string, Partial<BrakeAccount>, string]>([
    ['a late write', { lastNewMs: 2_001 }, 's to the last new write, p99: 2.00 of at most 2'],
    ['a fence that refuses late', { closedMs: 2_600 }, 's until the fence refuses, p99: 2.60'],
    ['a run that went on', { isStopped: false }, 'runs that went on: 1, should be 0'],
    ['a fence that never refused', { closedMs: null }, 'runs that went on: 1, should be 0'],
    [
      'a hold that is noticed late',
      { ...{ situation: 'pausedInHold', phase: 'waiting', lastNewMs: null, closedMs: 12_010 } },
      'hard, in a hold: s until the fence refuses, p99: 12.01 of at most 12',
    ],
    [
      'a suspicion that is late',
      { situation: 'cloudRefuses', lastNewMs: 20_010 },
      'soft, while changes may happen: s to the last new write, p99: 20.01 of at most 20',
    ],
  ])('%s breaks its bar', (_what, more, said) => {
    expect(broken(more).join()).toContain(said);
  });

  it('too few runs, too many without a sign, and too long a bench', () => {
    expect(broken({}, { accounts: ACCOUNTS.slice(1) }).join()).toContain('runs: 99 of at least');
    const missed = Array.from({ length: 6 }, () => 'never began');
    expect(broken({}, { missed }).join()).toContain('nothing became bad: 6 of at most 5');
    expect(broken({}, { seconds: 601 }).join()).toContain('minutes: 10.02');
  });

  it('a last write before the sign is no success of the time to the last write', () => {
    const [changing] = brakeGroups({ accounts: [ACCOUNT, { ...ACCOUNT, lastNewMs: null }] });
    expect(changing).toMatchObject({ runs: 2, before: 1, lastNew: { count: 1, p99: 2 } });
  });
});

describe('the runs of a bench', () => {
  it('have every situation in its share, at moments that the seed draws', () => {
    const runs = drawnRuns(createDraws(7), 100);
    const counts = SITUATIONS.map((each) => runs.filter(({ situation }) => situation === each));
    expect(counts.map(({ length }) => length)).toEqual([30, 20, 30, 20]);
    expect(drawnRuns(createDraws(7), 100)).toEqual(runs);
    expect(drawnRuns(createDraws(8), 100)).not.toEqual(runs);
    const moments = runs.map(({ afterMs }) => afterMs);
    expect([Math.min(...moments) < 2_000, Math.max(...moments) > 30_000]).toEqual([true, true]);
  });

  it.each([
    ['--runs', '0'],
    ['--together', 'x'],
    ['--seed', '-1'],
    ['--other', '1'],
  ])('%s %s is refused', (...words) => {
    expect(() => readBrakeOptions(words)).toThrow();
  });

  it('have another seed each time, and few runs unless asked', () => {
    const { parameters } = readBrakeOptions([]);
    expect(parameters.runs).toBe(10);
    expect(parameters.seed).toBeGreaterThan(0);
  });
});

describe('the page', () => {
  it('is as prettier wants it, and names what else is needed to read it', async () => {
    const section = brakeSection([{ ...RECORD, figures: { ...FIGURES, seconds: 700 } }, RECORD]);
    expect(await check(`${section}\n`, { parser: 'markdown' })).toBe(true);
    expect(section).toContain('8 clusters migrated at a time');
    expect(section).toContain('worker 4 ms (most 60 ms), simulator 8 ms (most 90 ms)');
    expect(section).toContain('seed 7, 2026-11-25: not kept: minutes: 11.67 of at most 10.');
    expect(section).toMatch(/seed 7, 2026-11-25: all \d+ bars hold\./);
  });

  it('shows what there is of each kind of sign', () => {
    const table = brakeTable(FIGURES);
    expect(table).toContain('hard, while changes may happen | 60');
    expect(table).toContain('2.00 / 2.00 / 2.00');
    expect(table).toMatch(/hard, in a hold +\| 20 +\| 12 +\| 0 +\| – +\| – +\| 20/);
  });

  it('records survive the file, and other lines are refused', () => {
    const file = join(folder, 'results.jsonl');
    expect(readBrakeRecords(file)).toEqual([]);
    appendBrakeRecord(file, RECORD);
    expect(readBrakeRecords(file)).toEqual([RECORD]);
    writeFileSync(file, '{"kind":"Other"}\n');
    expect(() => readBrakeRecords(file)).toThrow('Choose another --out');
  });

  it('an event loop is late by what exceeds the interval of its monitor', () => {
    const delays = { percentile: () => 14_200_000, max: 70_000_000 };
    expect(delayIn(delays)).toEqual({ p99: 4, max: 60 });
    const own = mkdtempSync(join(folder, 'delays-'));
    writeFileSync(join(own, 'probed-worker-17.json'), JSON.stringify({ p99: 4, max: 60 }));
    expect(readDelays(own)).toEqual({ 'probed-worker': { p99: 4, max: 60 } });
  });
});
