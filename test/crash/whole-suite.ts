import { attribute } from './attribution.js';
import type { CrashPoint, DirectionName } from './crash-point.js';
import { DIRECTIONS, pointKey } from './crash-point.js';
import type { CrashRun } from './crash-run.js';
import { crashRun } from './crash-run.js';
import type { Effects } from './judge-direction.js';
import { effectsOf } from './judge-direction.js';
import type { PlannedPoint } from './schedule.js';
import { crashPointsOf, nextPoints } from './schedule.js';
import { CRASH_SETTINGS } from './settings.js';

export interface SuiteResult {
  /** Crash points of the golden run. */
  readonly total: number;
  readonly struck: number;
  readonly missed: readonly string[];
  readonly complaints: readonly string[];
  /** Figures for people. */
  readonly lines: readonly string[];
}

type Report = (line: string) => void;

interface Golden {
  readonly points: readonly PlannedPoint[];
  readonly effects: ReadonlyMap<DirectionName, Effects>;
}

/** Records the golden run, then kills the worker at each of its crash points at least once, in parallel. */
export async function wholeSuite(report: Report): Promise<SuiteResult> {
  const startedAtMs = Date.now();
  const recorded = await crashRun({
    ...{ name: 'golden', seed: 1, points: [], withServer: false, golden: null, report },
  });
  const golden = goldenOf(recorded);
  report(`golden run: ${String(golden.points.length)} crash points`);
  const hunted: Hunted = {
    open: new Map(),
    struck: new Map(),
    complaints: [...recorded.complaints],
  };
  for (const planned of golden.points) hunted.open.set(pointKey(planned.point), planned);
  if (hunted.complaints.length === 0) await strikeAll(golden, hunted, report);
  const minutes = (Date.now() - startedAtMs) / 60_000;
  return {
    total: golden.points.length,
    struck: hunted.struck.size,
    missed: [...hunted.open.keys()],
    complaints: hunted.complaints,
    lines: figures(golden.points, hunted, minutes),
  };
}

function goldenOf({ directions }: CrashRun): Golden {
  const points = directions.flatMap((driven) =>
    crashPointsOf(driven.direction, attribute(driven.journal, driven.records).requests),
  );
  return {
    points,
    effects: new Map(directions.map((driven) => [driven.direction, effectsOf(driven)])),
  };
}

interface Hunted {
  readonly open: Map<string, PlannedPoint>;
  readonly struck: Map<string, CrashPoint>;
  readonly complaints: string[];
}

/** Each pair takes what is open when it begins, so that points which a run did not reach are tried again. */
async function strikeAll(golden: Golden, hunted: Hunted, report: Report): Promise<void> {
  const rounds = mostInStep(golden.points) / CRASH_SETTINGS.killsInStep;
  let left = Math.ceil(rounds) + CRASH_SETTINGS.extraRounds;
  let run = 0;
  const taken = new Set<string>();
  const pair = async (): Promise<void> => {
    while (left > 0 && hunted.open.size > 0) {
      const open = [...hunted.open]
        .filter(([key]) => !taken.has(key))
        .map(([, planned]) => planned);
      const points = nextPoints(open, CRASH_SETTINGS.killsInStep).map(({ point }) => point);
      if (points.length === 0) return;
      left -= 1;
      run += 1;
      const keys = points.map(pointKey);
      for (const key of keys) taken.add(key);
      await strike({ number: run, points }, golden, hunted, report);
      for (const key of keys) taken.delete(key);
    }
  };
  await Promise.all(Array.from({ length: CRASH_SETTINGS.pairs }, pair));
}

async function strike(
  { number, points }: { readonly number: number; readonly points: readonly CrashPoint[] },
  golden: Golden,
  { open, struck, complaints }: Hunted,
  report: Report,
): Promise<void> {
  const result = await crashRun({
    ...{ name: `run-${String(number)}`, seed: number, points, withServer: number === 1 },
    ...{ golden: golden.effects, report },
  });
  complaints.push(...result.complaints);
  for (const complaint of result.complaints) report(`WRONG ${complaint}`);
  // Points struck in a direction that went wrong are not proven, and are not tried again either.
  for (const point of result.directions.flatMap((direction) => direction.struck)) {
    open.delete(pointKey(point));
    struck.set(pointKey(point), point);
  }
  report(`${String(struck.size)} of ${String(golden.points.length)} crash points`);
}

function mostInStep(points: readonly PlannedPoint[]): number {
  const counts = new Map<string, number>();
  for (const { point, stepNumber } of points) {
    const step = `${point.direction} ${String(stepNumber)}`;
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

function figures(
  points: readonly PlannedPoint[],
  { struck, open, complaints }: Hunted,
  minutes: number,
): readonly string[] {
  const row = (direction: DirectionName, moment: CrashPoint['moment']): string => {
    const all = points.filter(
      ({ point }) => point.direction === direction && point.moment === moment,
    );
    const done = all.filter(({ point }) => struck.has(pointKey(point)));
    return `${direction} ${moment} the effect: ${String(done.length)} of ${String(all.length)}`;
  };
  return [
    ...DIRECTIONS.flatMap((direction) => [row(direction, 'before'), row(direction, 'after')]),
    ...[...open.keys()].map((key) => `never came by: ${key}`),
    ...complaints.map((complaint) => `WRONG ${complaint}`),
    `${String(struck.size)} of ${String(points.length)} crash points killed, ${String(complaints.length)} wrong, in ${minutes.toFixed(1)} min`,
  ];
}
