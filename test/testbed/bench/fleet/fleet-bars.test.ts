import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { check } from 'prettier';
import { beginFleet } from '../../../../domain/fleet/fleet-state.js';
import type { JournalLine } from '../../../../testbed/bench/fleet/bench-journal.js';
import { drawFleet, ruleAlone } from '../../../../testbed/bench/fleet/drawn-fleet.js';
import { barsOf } from '../../../../testbed/bench/fleet/fleet-bars.js';
import { figuresOf, type FleetFigures } from '../../../../testbed/bench/fleet/fleet-figures.js';
import { readFleetOptions } from '../../../../testbed/bench/fleet/fleet-options.js';
import { fleetSection, fleetTable } from '../../../../testbed/bench/fleet/fleet-page.js';
import {
  appendFleetRecord,
  readFleetRecords,
  type FleetRecord,
} from '../../../../testbed/bench/fleet/fleet-records.js';
import type { FollowedBench } from '../../../../testbed/bench/fleet/follow-bench.js';
import { openUsage } from '../../../../testbed/bench/fleet/process-usage.js';
import { SMALL, STATED } from './given-parameters.js';

const SPREAD = { count: 1000, mean: 139, p50: 139, p99: 180, max: 190 };

/** A run that keeps all its promises. */
const FIGURES: FleetFigures = {
  ...{ seconds: 2000, ruleSeconds: 1900, boundSeconds: 1700 },
  ...{ barrierSeconds: 7000, poolSeconds: 1600 },
  ...{ proven: 970, burnt: 30, changedInFirstRegion: 125 },
  phases: { proven: 970, back: 30 },
  ...{ mostMoving: 50, mostMovingInRegion: 8, mostUnproven: 100 },
  clusterEvents: SPREAD,
  fleetEvents: { ...SPREAD, count: 4, max: 3200 },
  ...{ workerPeakMiB: 900, workerCpuSeconds: 500, serverCpuSeconds: 700 },
  readMs: { p50: 100, p95: 900, count: 40 },
  killed: ['server', 'worker'],
  pause: { moving: 200, stepsLater: 0 },
};

function broken(
  figures: Partial<FleetFigures>,
  parameters: Partial<typeof STATED> = {},
): readonly string[] {
  return barsOf({
    parameters: { ...STATED, ...parameters },
    figures: { ...FIGURES, ...figures },
    machine: { cores: 2 },
  })
    .filter(({ holds }) => !holds)
    .map(({ said }) => said);
}

describe('the bars of a thousand clusters', () => {
  it('a run that keeps all its promises breaks no bar', () => {
    expect(broken({})).toEqual([]);
  });

  it.each<[Partial<FleetFigures>, string]>([
    [{ seconds: 3601, ruleSeconds: 3600, boundSeconds: 3600, barrierSeconds: 12_000 }, 'minutes'],
    [{ ruleSeconds: 1800 }, 'times the rule alone'],
    [{ boundSeconds: 1599 }, 'times the lower bound'],
    [{ barrierSeconds: 5999 }, 'times waves with a barrier'],
    [{ clusterEvents: { ...SPREAD, mean: 150.1 } }, 'events of a cluster'],
    [{ clusterEvents: null }, 'events of a cluster'],
    [{ fleetEvents: { ...SPREAD, max: 4000 } }, 'events of one execution'],
    [{ fleetEvents: null }, 'events of one execution'],
    [{ workerPeakMiB: 1537 }, 'MiB of the worker'],
    [{ mostMoving: 51 }, 'clusters moving at once'],
    [{ mostUnproven: 101 }, 'clusters unproven'],
    [{ burnt: 121 }, 'clusters burnt'],
    [{ proven: 969 }, 'clusters proven by the journal'],
    [{ phases: { proven: 970, back: 29, parked: 1 } }, 'clusters ended'],
  ])('%j breaks one bar', (figures, words) => {
    expect(broken(figures)).toEqual([expect.stringContaining(words)]);
  });

  it('a fleet whose last state is unknown is not taken for ended', () => {
    expect(broken({ phases: null })).toEqual([
      expect.stringMatching('clusters ended: 0'),
      expect.stringMatching('should be unknown'),
    ]);
  });

  it.each<[string, Partial<FleetFigures>, Partial<typeof STATED>]>([
    ['nothing was killed', { killed: [] }, {}],
    ['only the server was killed', { killed: ['server'] }, {}],
    ['there are fewer clusters', { phases: { proven: 970 } }, { clusters: 970 }],
    ['they take longer', {}, { changeMs: 61_000 }],
  ])('bars about time are not judged when %s', (_, figures, parameters) => {
    expect(broken({ seconds: 9999, ...figures }, parameters)).toEqual([]);
  });

  it('a cap of a region is judged where there is one', () => {
    expect(broken({ mostMovingInRegion: 9 })).toEqual([]);
    expect(broken({ mostMovingInRegion: 9 }, { regionCap: 8 })).toHaveLength(1);
  });
});

describe('the bars of other fleets', () => {
  const many = {
    ...{ clusters: 10_000, steps: 1, changeMs: 30_000, soakMs: 10_000 },
    ...{ inFlight: 200, unproven: 400, budget: 1000 },
  };
  const ended = { proven: 9700, phases: { proven: 9700, back: 300 }, seconds: 7200 };

  it('ten thousand clusters have a time, a screen that answers and a pause that holds', () => {
    expect(broken(ended, many)).toEqual([]);
    expect(broken({ ...ended, seconds: 7201 }, many)).toHaveLength(1);
    const slow = { p50: 1, p95: 1001, count: 9 };
    expect(broken({ ...ended, readMs: slow }, many)).toHaveLength(1);
    expect(broken({ ...ended, readMs: { ...slow, p95: 1, count: 0 } }, many)).toHaveLength(1);
    expect(broken({ ...ended, pause: { moving: 200, stepsLater: 1 } }, many)).toHaveLength(1);
    expect(broken({ ...ended, pause: null }, many)).toHaveLength(1);
    expect(broken({ ...ended, workerCpuSeconds: 8000 }, many)).toHaveLength(1);
  });

  it('a broken region changes few of its clusters, and all others are proven', () => {
    const region = { clusters: 40, brokenRegion: true };
    const good = {
      changedInFirstRegion: 4,
      proven: 35,
      phases: { proven: 35, back: 4, stopped: 1 },
    };
    expect(broken(good, region)).toEqual([]);
    expect(broken({ ...good, changedInFirstRegion: 5 }, region)).toHaveLength(1);
    expect(broken({ ...good, proven: 34, phases: { proven: 34, back: 6 } }, region)).toHaveLength(
      1,
    );
  });
});

const RECORD: FleetRecord = {
  kind: 'FleetEngineRun',
  at: '2026-01-01T00:00:00.000Z',
  machine: { cores: 2, memoryGiB: 24, kernel: 'Linux 6.1' },
  ...{ parameters: STATED, figures: FIGURES },
};

describe('the results of the fleet benchmark', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-records-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('a table has a line for each run', () => {
    const [head, , line, ...more] = fleetTable([RECORD]).split('\n');
    expect(more).toEqual([]);
    expect(head).toMatch(/clusters +\| W \/ E \/ F +\| steps/);
    expect(line).toMatch(
      /^\| 1000 +\| 50 \/ 100 \/ 120 +\| 12 +\| 60 s \/ 60 s +\| 33\.3 +\| 1\.05/,
    );
    expect(line).toMatch(/139 \(most 190\) \| 4 × at most 3200 +\| 900 +\| 0\.50 \/ 0\.70/);
  });

  it('a page says which bars hold, and is formatted as prettier formats it', async () => {
    const late: FleetRecord = { ...RECORD, figures: { ...FIGURES, ruleSeconds: 1000 } };
    const text = fleetSection([RECORD, late]);
    expect(text).toContain('- 1000 clusters, seed 4, 2026-01-01: all 12 bars hold.');
    expect(text).toContain('not kept: times the rule alone: 2 of at most 1.10.');
    expect(await check(`# B\n\n${text}\n`, { parser: 'markdown', printWidth: 100 })).toBe(true);
  });

  it('records are read as they were written, and lines of other benchmarks are refused', () => {
    const file = join(folder, 'deeper', 'out.jsonl');
    expect(readFleetRecords(file)).toEqual([]);
    appendFleetRecord(file, RECORD);
    appendFleetRecord(file, RECORD);
    expect(readFleetRecords(file)).toEqual([RECORD, RECORD]);
    writeFileSync(file, '{"kind":"HandoverRun"}\n');
    expect(() => readFleetRecords(file)).toThrow('not a result of this benchmark');
  });
});

describe('the figures of a run', () => {
  const fleet = drawFleet({ ...SMALL, clusters: 2 });
  const lines: readonly JournalLine[] = [
    { atMs: 1000, cluster: 'c-0', kind: 'fence', run: 'r', nonce: 'n', epoch: 1 },
    { atMs: 2000, cluster: 'c-0', kind: 'step', target: 'ccm' },
    { atMs: 9000, cluster: 'c-0', kind: 'soak', target: 'ccm' },
    { atMs: 12_000, cluster: 'c-0', kind: 'soaked', target: 'ccm' },
    { atMs: 13_000, cluster: 'c-0', kind: 'closed', outcome: 'done' },
  ];
  const usage = openUsage(() => '');
  const followed: FollowedBench = {
    ...{ startedMs: 500, endedMs: 14_500, status: 'COMPLETED' },
    state: beginFleet({ ...fleet.plan, fleetRun: 'r' }, 0),
    readMs: Array.from({ length: 100 }, (_, index) => 100 - index),
    ...{ worker: usage, server: usage, killed: ['server'], movingAtPause: 7 },
    paused: { fromMs: 1500, toMs: 3000 },
  };
  const sizes = { clusters: new Map([['a', 100]]), fleet: [50, 70] };

  it('figures come from the journal, the server and what was sampled', () => {
    const figures = figuresOf(fleet, lines, followed, sizes);
    expect(figures).toMatchObject({
      ...{ seconds: 14, proven: 1, burnt: 0, changedInFirstRegion: 1 },
      ...{ mostMoving: 1, mostMovingInRegion: 1, mostUnproven: 1 },
      // One canary, alone.
      boundSeconds: 11,
      phases: { waiting: 2 },
      readMs: { p50: 50, p95: 95, count: 100 },
      pause: { moving: 7, stepsLater: 1 },
    });
    expect(figures.fleetEvents).toMatchObject({ count: 2, max: 70 });
    expect(figures.ruleSeconds).toBe(ruleAlone(fleet).state.nowMs / 1000);
    expect(figuresOf(fleet, lines, { ...followed, paused: null }, sizes).pause).toBeNull();
  });

  it('a process keeps its peak and its time when it is started again', () => {
    const seen: Record<string, string> = {
      '/proc/1/status': 'Name:\tnode\nVmHWM:\t  2048 kB\n',
      '/proc/1/stat': '1 (node (a) b) S 1 1 1 0 -1 4 0 0 0 0 150 50 0 0',
      '/proc/2/status': 'Name:\tnode\nVmHWM:\t  1024 kB\n',
      '/proc/2/stat': '2 (node) S 1 1 1 0 -1 4 0 0 0 0 100 0 0 0',
    };
    const used = openUsage((path) => seen[path] ?? '');
    for (const pid of [1, 2, 3]) used.sample(pid);
    expect([used.peakMiB(), used.cpuSeconds()]).toEqual([2, 3]);
  });
});

describe('the command line of the fleet benchmark', () => {
  it('without options it is the stated run', () => {
    expect(readFleetOptions(['--engine'])).toMatchObject({
      parameters: STATED,
      drills: { kill: true, pause: false, stopHeld: false },
      docs: null,
      append: false,
    });
  });

  it('options change the fleet, and what is done to it', () => {
    const words = '--engine --clusters 40 --change 2s --region-cap 3 --broken-region --no-kill';
    const { parameters, drills } = readFleetOptions(words.split(' '));
    expect(parameters).toEqual({
      ...STATED,
      ...{ clusters: 40, changeMs: 2000, regionCap: 3, brokenRegion: true },
    });
    expect(drills).toEqual({ kill: false, pause: false, stopHeld: true });
  });

  it.each([
    [[], 'which benchmark'],
    [['--engine', '--clusters', '0'], '--clusters must be a whole number above 0'],
    [['--engine', '--change', '60'], '--change must be a duration'],
    [['--engine', '--soak', '0s'], '--soak must be a duration'],
    [['--engine', '--nodes', '3'], 'nodes'],
  ])('%j is refused', (words, told) => {
    expect(() => readFleetOptions(words)).toThrow(told);
  });
});
