import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { check } from 'prettier';
import { readShape } from '../../../../testbed/simulator/shape/shape-file.js';
import { shapeText, zoneOf } from '../../../../testbed/bench/simulated/fleet-texts.js';
import { simulatedBars } from '../../../../testbed/bench/simulated/simulated-bars.js';
import type {
  HeldFigures,
  SimulatedFigures,
} from '../../../../testbed/bench/simulated/simulated-figures.js';
import { readSimulatedOptions } from '../../../../testbed/bench/simulated/simulated-options.js';
import {
  simulatedSection,
  simulatedTable,
} from '../../../../testbed/bench/simulated/simulated-page.js';
import {
  appendSimulatedRecord,
  readSimulatedRecords,
  type SimulatedRecord,
} from '../../../../testbed/bench/simulated/simulated-records.js';

const [IN_PLACE, REPLACE, HELD] = readSimulatedOptions([]).runs;
if (IN_PLACE === undefined || REPLACE === undefined || HELD === undefined) {
  throw new Error('three runs are stated');
}

const SPREAD = { count: 200, mean: 150, p50: 150, p99: 180, max: 190 };

/** A run that keeps all its promises, barely. */
const FIGURES: SimulatedFigures = {
  ...{ seconds: 900, migrated: 200, burnt: 20, overlapSeconds: 0 },
  most: { changing: 20, changingInZone: 10, unproven: 60 },
  ...{ stepRequests: SPREAD, guardRequests: SPREAD, nodeRequests: null },
  cpu: { worker: 1.1, server: 0.9 },
  ...{ workerPeakMiB: 600.4, guardGapP99: 1.5, replayMs: 60, held: null },
};

const HELD_FIGURES: HeldFigures = {
  ...{ seconds: 600, meanMoving: 36, heapKiB: 350, sockets: 2 },
  heldPercent: { worker: 0.1, server: 9 },
  movingPercent: { worker: 1.2, server: 9 },
};

function broken(
  figures: Partial<SimulatedFigures>,
  parameters = IN_PLACE ?? HELD,
): readonly string[] {
  if (parameters === undefined) return [];
  return simulatedBars({ parameters, figures: { ...FIGURES, ...figures } })
    .filter(({ holds }) => !holds)
    .map(({ said }) => said);
}

describe('the bars of a fleet of whole clusters', () => {
  it('a run that keeps all its promises breaks none', () => {
    expect(broken({})).toEqual([]);
    expect(broken({ migrated: 40, cpu: { worker: 1.4, server: 1 } }, REPLACE)).toEqual([]);
    expect(broken({ held: HELD_FIGURES, cpu: null }, HELD)).toEqual([]);
  });

  it.each<[Partial<SimulatedFigures>, string]>([
    [{ migrated: 199 }, 'clusters migrated'],
    [{ overlapSeconds: 0.1 }, 'two owners'],
    [{ most: { ...FIGURES.most, changing: 21 } }, 'changing at once: 21'],
    [{ most: { ...FIGURES.most, changingInZone: 11 } }, 'in one zone'],
    [{ most: { ...FIGURES.most, unproven: 61 } }, 'unproven'],
    [{ burnt: 21 }, 'burnt'],
    [{ cpu: { worker: 1.11, server: 0.9 } }, 'CPU-s of the worker'],
    [{ cpu: { worker: 1.1, server: 0.91 } }, 'CPU-s of the server'],
    [{ stepRequests: { ...SPREAD, mean: 160.5 } }, 'API requests'],
    [{ stepRequests: null }, 'API requests'],
    [{ replayMs: 61 }, 'replay'],
    [{ replayMs: null }, 'replay: unknown'],
  ])('%j breaks one', (figures, words) => {
    expect(broken(figures)).toEqual([expect.stringContaining(words)]);
  });

  it.each<[Partial<HeldFigures>, string]>([
    [{ seconds: 599 }, 'seconds with all clusters'],
    [{ meanMoving: 35.9 }, 'clusters moving, mean'],
    [{ heldPercent: { worker: 0.11, server: 0 } }, 'held cluster, worker'],
    [{ movingPercent: { worker: 1.21, server: 0 } }, 'cluster that moves'],
    [{ movingPercent: { worker: Number.NaN, server: 0 } }, 'cluster that moves, worker: unknown'],
    [{ heapKiB: 351 }, 'live heap'],
    [{ sockets: 2.1 }, 'sockets'],
  ])('%j breaks one of those beside held clusters', (held, words) => {
    expect(broken({ held: { ...HELD_FIGURES, ...held } }, HELD)).toEqual([
      expect.stringContaining(words),
    ]);
  });

  it('a guard that is late, or whose lateness is unknown, breaks one', () => {
    expect(broken({ held: HELD_FIGURES, guardGapP99: 1.75 }, HELD)).toHaveLength(1);
    expect(broken({ held: HELD_FIGURES, guardGapP99: null }, HELD)).toHaveLength(1);
  });

  it('without what was measured beside held clusters none of its bars holds', () => {
    expect(broken({ held: null }, HELD)).toHaveLength(6);
  });

  it('machines that are replaced may cost more', () => {
    const figures = { migrated: 40, cpu: { worker: 1.41, server: 1.01 }, stepRequests: null };
    expect(broken(figures, REPLACE)).toHaveLength(2);
  });
});

describe('the results of the benchmark of whole clusters', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-simulated-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const shared = {
    kind: 'FleetSimulatorRun',
    at: '2026-01-01T00:00:00.000Z',
    machine: { cores: 2, memoryGiB: 24, kernel: 'Linux 6.1' },
  } as const;
  const whole: SimulatedRecord = { ...shared, parameters: IN_PLACE, figures: FIGURES };
  const held: SimulatedRecord = {
    ...{ ...shared, parameters: HELD },
    figures: { ...FIGURES, held: HELD_FIGURES, cpu: null, guardGapP99: 1.75 },
  };

  it('a table has a line for each run', () => {
    const [, , first = '', second = '', ...more] = simulatedTable([whole, held]).split('\n');
    expect(more).toEqual([]);
    expect(first).toMatch(/^\| in-place \| 200 .*\| 15\.0 .*\| 20 +\| 10 +\| 60 +\| 20 /);
    expect(first).toMatch(/\| 1\.10 \/ 0\.90 .*\| 1\.5 s +\| 150 \/ 150 \/ – +\| 600 /);
    expect(second).toMatch(
      /\| 1\.20 \/ 9\.00 \| 0\.10 \/ 9\.00 \| 350 +\| 2\.0 +\| 60 +\| 1\.75 s/,
    );
  });

  it('a page says which bars hold, and is formatted as prettier formats it', async () => {
    const text = simulatedSection([whole, held]);
    expect(text).toContain('- in-place, 200 clusters, 2026-01-01: all 10 bars hold.');
    expect(text).toContain(
      'not kept: s between observations of a guard, p99: 1.75 of at most 1.50.',
    );
    expect(await check(`# B\n\n${text}\n`, { parser: 'markdown', printWidth: 100 })).toBe(true);
  });

  it('records are read as they were written, and lines of other benchmarks are refused', () => {
    const file = join(folder, 'deeper', 'out.jsonl');
    expect(readSimulatedRecords(file)).toEqual([]);
    appendSimulatedRecord(file, whole);
    appendSimulatedRecord(file, held);
    expect(readSimulatedRecords(file)).toEqual([whole, held]);
    writeFileSync(file, '{"kind":"FleetEngineRun"}\n');
    expect(() => readSimulatedRecords(file)).toThrow('not a result of this benchmark');
  });
});

describe('the command line of the benchmark of whole clusters', () => {
  it('without options it makes the three stated runs', () => {
    expect(readSimulatedOptions(['--simulator'])).toMatchObject({
      runs: [
        { run: 'in-place', clusters: 200, inFlight: 20, unproven: 60, held: 0 },
        { run: 'replace', clusters: 40, inFlight: 20, unproven: 60, held: 0 },
        { run: 'held', clusters: 40, inFlight: 40, held: 200, seconds: 600 },
      ],
      ...{ docs: null, append: false, keep: null },
    });
  });

  it('a small run is possible', () => {
    const words = '--run held --clusters 5 --held 10 --seconds 60 --seed 3';
    expect(readSimulatedOptions(words.split(' ')).runs).toEqual([
      expect.objectContaining({ clusters: 5, inFlight: 5, held: 10, seconds: 60, seed: 3 }),
    ]);
  });

  it.each([
    [['--run', 'both'], '--run must be in-place, replace, held or all'],
    [['--clusters', '0'], '--clusters must be a whole number above 0'],
    [['--clusters', '1'], '--clusters must be above 1'],
    [['--held', 'x'], '--held must be a whole number'],
    [['--seconds', '1m'], '--seconds must be a whole number'],
    [['--nodes', '3'], 'nodes'],
  ])('%j is refused', (words, told) => {
    expect(() => readSimulatedOptions(words)).toThrow(told);
  });
});

it('clusters of a fleet are spread over all zones, and their names say which', () => {
  const text = shapeText([
    { fleet: 'moving', count: 6 },
    { fleet: 'warm', count: 2 },
  ]);
  const answer = readShape(text, 'shape.yaml', { spec: {}, region: 'default' });
  const clusters = answer.ok ? answer.clusters : [];
  expect(clusters.map(({ id }) => id)).toEqual([
    ...['moving-z0-1', 'moving-z0-2', 'moving-z1-1', 'moving-z1-2', 'moving-z2-1', 'moving-z3-1'],
    ...['warm-z0-1', 'warm-z1-1'],
  ]);
  expect(clusters.map(({ labels }) => labels['zone'])).toEqual(
    clusters.map(({ id }) => zoneOf(id)),
  );
});
