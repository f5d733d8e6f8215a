import type { LoopFigures } from '../../../testbed/bench/on-lab/measured-figures.js';
import type { RunMeasurement, RunRecord } from '../../../testbed/bench/on-lab/records.js';

/** A loop that had no owner for the given durations. */
export function loop(
  gapSeconds: readonly number[],
  changes: Partial<LoopFigures> = {},
): LoopFigures {
  const orphanSeconds = gapSeconds.reduce((total, gap) => total + gap, 0);
  return { gapSeconds, orphanSeconds, overlapSeconds: 0, moves: gapSeconds.length, ...changes };
}

export function direction(
  name: RunMeasurement['direction'],
  figures: LoopFigures,
  changes: Partial<RunMeasurement> = {},
): RunMeasurement {
  return {
    direction: name,
    seconds: 90,
    controllers: { service: figures, route: figures, 'cloud-node-lifecycle': figures },
    kcm: loop([1]),
    ...{ requests: 20, writes: 2, contradictions: [] },
    ...changes,
  };
}

/** One run whose two directions had no owner for the given durations. */
export function run(
  row: string,
  gapSeconds: readonly number[],
  changes: Partial<RunRecord> = {},
): RunRecord {
  return {
    kind: 'HandoverRun',
    ...{ row, run: 1, at: '2026-01-01T00:00:00.000Z', leader: 'cp-1', order: null },
    directions: [direction('forward', loop(gapSeconds)), direction('back', loop(gapSeconds))],
    failed: null,
    machine: { cores: 2, memoryGiB: 24, kernel: 'Linux 6.1' },
    ...changes,
  };
}
