import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from 'prettier';
import { randomStream } from '../../../../domain/fleet/random.js';
import { badWindows, informationBound } from '../../../../testbed/bench/gates/bad-windows.js';
import {
  CLIFF_ROW,
  FEW_ROWS,
  gateTasks,
  STEP_ROW,
} from '../../../../testbed/bench/gates/bench-rows.js';
import { intervalText, upperLimit } from '../../../../testbed/bench/gates/binomial-interval.js';
import { gateBars } from '../../../../testbed/bench/gates/gate-bars.js';
import {
  joinedBad,
  joinedGood,
  type GateFigures,
} from '../../../../testbed/bench/gates/gate-figures.js';
import { readGateOptions } from '../../../../testbed/bench/gates/gate-options.js';
import { gateSection } from '../../../../testbed/bench/gates/gate-page.js';
import {
  appendGateRecord,
  readGateRecords,
  type GateRecord,
} from '../../../../testbed/bench/gates/gate-records.js';
import { goodRuns } from '../../../../testbed/bench/gates/good-runs.js';
import { OTHER_GATE_RULES } from '../../../../testbed/bench/gates/other-gate-rules.js';
import { GOOD_KINDS, goodCourse } from '../../../../testbed/bench/gates/traces/good-courses.js';
import { drawTrace, type Trace } from '../../../../testbed/bench/gates/traces/drawn-trace.js';

const NO_DELAYS = { count: 0, p50: null, p95: null };
const GOOD = {
  ...{ failed: 0, failedGates: {}, suspected: 0, gatesSuspected: {}, otherFailed: [] },
  heldMinutes: NO_DELAYS,
};
const BAD = { ends: {}, suspect: NO_DELAYS, others: [] };
const FOUND = { count: 1500, p50: 40, p95: 60 };

/** Figures that keep every bar. */
const KEPT: GateFigures = {
  seconds: 300,
  good: [
    { ...GOOD, hours: 2, runs: 1000 },
    { ...GOOD, hours: 24, runs: 400 },
  ],
  bad: [
    ...[CLIFF_ROW, STEP_ROW].map((row) => ({
      ...BAD,
      ...{ row, windows: 1500, fail: FOUND, scrapes: { count: 1500, p50: 3, p95: 4 } },
    })),
    ...FEW_ROWS.map((row) => ({ ...BAD, row, windows: 9, fail: NO_DELAYS, scrapes: NO_DELAYS })),
  ],
};

function broken(figures: GateFigures): readonly string[] {
  return gateBars(figures)
    .filter(({ holds }) => !holds)
    .map(({ said }) => said.split(':').slice(0, -1).join(':'));
}

describe('the bars of the benchmark of gates', () => {
  it('all hold where all is kept', () => {
    expect(broken(KEPT)).toEqual([]);
  });

  it('are broken by 1 failure of 400 good runs, which does not show that 1 % is kept', () => {
    const good = KEPT.good.map((each) => (each.hours === 24 ? { ...each, failed: 1 } : each));
    expect(broken({ ...KEPT, good })).toEqual([
      'good runs of 24 h that fail, upper limit in percent',
    ]);
  });

  it('are broken by one pass where too few events came', () => {
    const bad = KEPT.bad.map((each, index) =>
      index === 3 ? { ...each, ends: { pass: 1 } } : each,
    );
    expect(broken({ ...KEPT, bad })).toEqual(['too few events: passed']);
  });

  it('are broken by what was not measured', () => {
    expect(broken({ seconds: 1, good: [], bad: [] })).toHaveLength(10);
  });

  it('are broken by a slow failure and by harm that is not found', () => {
    const slow = { count: 1490, p50: 40, p95: 361 };
    const bad = KEPT.bad.map((each) => (each.row === STEP_ROW ? { ...each, fail: slow } : each));
    expect(broken({ ...KEPT, bad })).toEqual([
      'to 20 %: found, percent',
      'to 20 %: minutes until a failure, p95',
    ]);
  });
});

describe('the limits of a probability', () => {
  it('are those of Clopper and Pearson', () => {
    expect(upperLimit(0, 400)).toBeCloseTo(1 - 0.05 ** (1 / 400), 9);
    expect(upperLimit(1, 400)).toBeCloseTo(0.01181, 4);
    expect([upperLimit(3, 3), upperLimit(0, 0)]).toEqual([1, 1]);
    expect(intervalText(0, 10)).toBe('0.0 % [0.0–30.8]');
    expect(intervalText(10, 10)).toBe('100.0 % [69.2–100.0]');
  });
});

describe('the drawn counts', () => {
  it.each(GOOD_KINDS)(
    'of kind %s never have more errors than events, in the order of time',
    (kind) => {
      const random = randomStream(2);
      const usual = { perMinute: 20, ratio: 0.02 };
      const course = goodCourse(kind, usual, { scrapes: 480, random });
      const { before, after } = drawTrace(course, 480, { random, past: 'all' });
      const all = [...before, ...after];
      expect(all.every(({ bad, total }) => bad <= total && Number.isInteger(total))).toBe(true);
      expect(all.every(({ atMs }, index) => atMs > (all[index - 1]?.atMs ?? 0))).toBe(true);
      const total = all.reduce((sum, each) => sum + each.total, 0);
      expect(total / (all.length / 4)).toBeGreaterThan(10);
      expect(total / (all.length / 4)).toBeLessThan(30);
    },
  );

  it('are decided by the seed alone', () => {
    const task = { work: 'good', hours: 0.1, runs: 1, seed: 5 } as const;
    expect(goodRuns(task)).toEqual(goodRuns(task));
    expect(new Set(gateTasks(7, true).map(({ seed }) => seed)).size).toBe(
      gateTasks(7, true).length,
    );
  });
});

describe("other tools' rules on counts of a scrape each 15 s", () => {
  function traceOf(bad: number, scrapes: number): Trace {
    const of = (index: number, errors: number) => ({ atMs: index * 15_000, bad: errors, total: 5 });
    const before = Array.from({ length: 240 }, (_, index) => of(index, 0));
    const after = Array.from({ length: scrapes }, (_, index) => of(index + 240, bad));
    return { before, after, past: 'all' };
  }

  it('fail an outage when their documentation says so', () => {
    const at = OTHER_GATE_RULES.map(({ failsAt }) => failsAt(traceOf(5, 120)));
    // The fourth of Argo's checks after 20 minutes, the fifth of Flagger's after 5; 10 % of 10 minutes; 14.4 % of an hour.
    expect(at).toEqual([80, 20, 3, 4, 35]);
  });

  it('fail nothing without errors or without events', () => {
    const silent = { ...traceOf(0, 120), after: [] };
    for (const trace of [traceOf(0, 120), silent])
      expect(OTHER_GATE_RULES.map(({ failsAt }) => failsAt(trace))).toEqual(Array(5).fill(null));
  });
});

describe('the least time of any test', () => {
  it('follows from the divergence of one event', () => {
    expect(informationBound(STEP_ROW)).toBeCloseTo(28.6, 1);
    expect(informationBound({ ...STEP_ROW, kind: 'hang' })).toBeNull();
    expect(informationBound({ ...STEP_ROW, to: STEP_ROW.ratio })).toBeNull();
  });
});

describe('a run of the benchmark', () => {
  it('is joined from parts, kept as a line and told on a page that prettier leaves alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-gates-'));
    const file = join(folder, 'gates.jsonl');
    try {
      const good = joinedGood(
        [1, 2].map((seed) => goodRuns({ work: 'good', hours: 0.1, runs: 1, seed })),
      );
      const bad = joinedBad(
        [CLIFF_ROW, CLIFF_ROW, ...FEW_ROWS].map((row, seed) =>
          badWindows({ work: 'bad', row, windows: 1, seed }),
        ),
      );
      expect(good).toMatchObject([{ hours: 0.1, runs: 2 }]);
      expect(bad[0]).toMatchObject({ row: CLIFF_ROW, windows: 2, fail: { count: 2 } });
      const machine = { cores: 2, memoryGiB: 4, kernel: 'Linux 6.1' };
      const figures = { seconds: 1, good, bad };
      const record: GateRecord = {
        ...{ kind: 'GateRun', at: '2026-11-24T10:00:00Z', machine, seed: 1, quick: true, figures },
      };
      appendGateRecord(file, record);
      expect(readGateRecords(file)).toEqual([record]);
      const page = `${gateSection(readGateRecords(file))}\n`;
      expect(await check(page, { parser: 'markdown' })).toBe(true);
      writeFileSync(file, '{"kind":"Other"}\n');
      expect(() => readGateRecords(file)).toThrow('Choose another --out');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('draws its seed where none is given, and takes no other text for one', () => {
    expect(readGateOptions([]).seed).not.toBe(readGateOptions([]).seed);
    expect(readGateOptions(['--seed', '7', '--quick'])).toMatchObject({ seed: 7, quick: true });
    for (const seed of ['-1', '1e3', '4294967296', ''])
      expect(() => readGateOptions([`--seed=${seed}`])).toThrow('whole number');
  });
});
