import type { CountVerdict } from '../../../domain/gates/counts/count-verdict.js';
import { randomStream } from '../../../domain/fleet/random.js';
import { drawPast } from './good-runs.js';
import { GATES_OF_A_RUN, judgeTrace } from './judged-trace.js';
import { OTHER_GATE_RULES } from './other-gate-rules.js';
import { badCourse, type BadKind } from './traces/bad-courses.js';
import { OWN_STEPS_MS, SCRAPE_MS, drawTrace } from './traces/drawn-trace.js';

/** What goes wrong in the windows of one row, and when. */
export interface BadRow {
  readonly kind: BadKind;
  readonly perMinute: number;
  readonly ratio: number;
  readonly to: number;
  /** At one of our six steps, or at any minute of the first half hour. */
  readonly begins: 'step' | 'anyMinute';
  /** Until so many minutes after the harm began. */
  readonly minutes: number;
}

export interface BadTask {
  readonly work: 'bad';
  readonly row: BadRow;
  readonly windows: number;
  readonly seed: number;
}

export interface BadFigures {
  readonly row: BadRow;
  readonly windows: number;
  /** Seconds from harm to failure and to suspicion, of windows in which they came. */
  readonly failSeconds: readonly number[];
  readonly suspectSeconds: readonly number[];
  /** Scrapes after the harm until the failure. */
  readonly failScrapes: readonly number[];
  readonly ends: Readonly<Partial<Record<CountVerdict['kind'], number>>>;
  /** Seconds to failure by other rules, in the order of OTHER_GATE_RULES; those that failed before the harm are left out. */
  readonly otherSeconds: readonly (readonly number[])[];
}

interface JudgedWindow {
  readonly ours: ReturnType<typeof judgeTrace>;
  readonly harmMs: number;
  readonly harmScrape: number;
  readonly others: readonly (number | null)[];
}

export function badWindows({ row, windows, seed }: BadTask): BadFigures {
  const judged = Array.from({ length: windows }, (_, index) =>
    badWindow(row, randomStream(seed + index * 7919)),
  );
  const after = (at: number | null, { harmMs, harmScrape }: JudgedWindow): readonly number[] =>
    at === null || at <= harmScrape ? [] : [(at * SCRAPE_MS - harmMs) / 1000];
  const failScrapes = judged.flatMap(({ ours, harmScrape }) =>
    ours.failedAt === null || ours.failedAt <= harmScrape ? [] : [ours.failedAt - harmScrape],
  );
  return {
    ...{ row, windows, failScrapes },
    failSeconds: judged.flatMap((each) => after(each.ours.failedAt, each)),
    suspectSeconds: judged.flatMap((each) => after(each.ours.suspectAt, each)),
    ends: endsOf(judged),
    otherSeconds: OTHER_GATE_RULES.map((_, rule) =>
      judged.flatMap((each) => after(each.others[rule] ?? null, each)),
    ),
  };
}

function badWindow(row: BadRow, random: () => number): JudgedWindow {
  const harmMs = harmBegins(row, random);
  const harmScrape = Math.floor(harmMs / SCRAPE_MS);
  const usual = { perMinute: row.perMinute, ratio: row.ratio };
  const course = badCourse(usual, { kind: row.kind, to: row.to, fromMs: harmMs });
  const scrapes = harmScrape + (row.minutes * 60_000) / SCRAPE_MS;
  const past = drawPast(usual, random);
  const trace = drawTrace(course, scrapes, { random, past });
  const ours = judgeTrace(trace, harmScrape, harmMs % SCRAPE_MS);
  return { ours, harmMs, harmScrape, others: OTHER_GATE_RULES.map((rule) => rule.failsAt(trace)) };
}

/** Scrapes do not keep step with us: a step falls anywhere between two of them. */
function harmBegins({ begins }: BadRow, random: () => number): number {
  const [drawn, phase] = [random(), random()];
  if (begins === 'anyMinute') return drawn * 30 * 60_000;
  const step = OWN_STEPS_MS[Math.floor(drawn * OWN_STEPS_MS.length)] ?? 0;
  return step + phase * SCRAPE_MS;
}

function endsOf(judged: readonly JudgedWindow[]): BadFigures['ends'] {
  const ends: Partial<Record<CountVerdict['kind'], number>> = {};
  for (const { ours } of judged) ends[ours.ends] = (ends[ours.ends] ?? 0) + 1;
  return ends;
}

/**
 * The least time any test needs on average that fails a whole run falsely in 1 % and misses hardly anything: ln(gates / 1 %) over
 * the Kullback–Leibler divergence of one event (Wald), in seconds. Null where nothing can be told.
 */
export function informationBound({ perMinute, ratio, to, kind }: BadRow): number | null {
  if (kind === 'hang' || to === ratio) return null;
  const bad = to * Math.log(to / ratio);
  const good = to >= 1 ? 0 : (1 - to) * Math.log((1 - to) / (1 - ratio));
  return (Math.log(GATES_OF_A_RUN / 0.01) / (bad + good) / perMinute) * 60;
}
