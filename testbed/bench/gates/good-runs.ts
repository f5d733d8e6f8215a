import { randomStream } from '../../../domain/fleet/random.js';
import { GATES_OF_A_RUN, judgeTrace } from './judged-trace.js';
import { OTHER_GATE_RULES } from './other-gate-rules.js';
import { GOOD_KINDS, goodCourse, type GoodKind, type Usual } from './traces/good-courses.js';
import { HOUR_SCRAPES, SCRAPE_MS, drawTrace, type Trace } from './traces/drawn-trace.js';

/** Whole runs in which nothing is wrong. */
export interface GoodTask {
  readonly work: 'good';
  readonly hours: number;
  readonly runs: number;
  readonly seed: number;
}

export interface GoodFigures {
  readonly hours: number;
  readonly runs: number;
  /** Runs of which a gate failed. */
  readonly failed: number;
  /** Gates that failed, of their kind. */
  readonly failedGates: Readonly<Partial<Record<GoodKind, number>>>;
  /** Runs in which a gate was suspect. */
  readonly suspected: number;
  /** Minutes of each of those runs in which a gate was suspect. */
  readonly heldMinutes: readonly number[];
  readonly gatesSuspected: Readonly<Partial<Record<GoodKind, number>>>;
  /** Runs that other rules fail, in the order of OTHER_GATE_RULES. */
  readonly otherFailed: readonly number[];
}

const RATES = [0.5, 2, 20, 60];
const RATIOS = [0, 0.002, 0.02];
const DAYS_30 = 30 * 24 * 60;

export function goodRuns({ hours, runs, seed }: GoodTask): GoodFigures {
  const judged = Array.from({ length: runs }, (_, run) => goodRun(hours, seed + run * 104_729));
  const gates = judged.flatMap((each) => each.gates);
  const held = judged.map(({ gates: of }) => Math.max(...of.map((each) => each.suspectScrapes)));
  return {
    ...{ hours, runs },
    failed: judged.filter(({ gates: of }) => of.some((each) => each.failedAt !== null)).length,
    failedGates: countsOf(gates.filter(({ failedAt }) => failedAt !== null)),
    suspected: held.filter((each) => each > 0).length,
    heldMinutes: held.filter((each) => each > 0).map((each) => (each * SCRAPE_MS) / 60_000),
    gatesSuspected: countsOf(gates.filter(({ suspectScrapes }) => suspectScrapes > 0)),
    otherFailed: OTHER_GATE_RULES.map(
      (_, rule) => judged.filter(({ others }) => others[rule] === true).length,
    ),
  };
}

function goodRun(hours: number, seed: number) {
  const random = randomStream(seed);
  const traces = Array.from({ length: GATES_OF_A_RUN }, () =>
    goodTrace(hours * HOUR_SCRAPES, random),
  );
  return {
    gates: traces.map(({ kind, trace }) => ({ kind, ...judgeTrace(trace) })),
    others: OTHER_GATE_RULES.map(({ failsAt }) =>
      traces.some(({ trace }) => failsAt(trace) !== null),
    ),
  };
}

function goodTrace(
  scrapes: number,
  random: () => number,
): { readonly kind: GoodKind; readonly trace: Trace } {
  const kind = oneOf(GOOD_KINDS, random);
  const usual = { perMinute: oneOf(RATES, random), ratio: oneOf(RATIOS, random) };
  const course = goodCourse(kind, usual, { scrapes, random });
  return {
    kind,
    trace: drawTrace(course, scrapes, { random, past: drawPast(usual, random, kind) }),
  };
}

/**
 * Half of the clusters have six hours of Prometheus, a quarter one hour, a quarter only the counters of thirty days. A broken Service
 * was broken in all of those.
 */
export function drawPast(
  { perMinute, ratio }: Usual,
  random: () => number,
  kind: GoodKind = 'steady',
): Trace['past'] {
  const drawn = random();
  if (drawn < 0.5) return 'all';
  if (drawn < 0.75) return 'hour';
  const retries = kind === 'backOff' ? Math.round(DAYS_30 / 5) : 0;
  const total = Math.round(perMinute * DAYS_30);
  return { atMs: 0, bad: Math.round(total * ratio) + retries, total: total + retries };
}

function oneOf<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to draw from');
  return value;
}

function countsOf(gates: readonly { readonly kind: GoodKind }[]): GoodFigures['failedGates'] {
  const counted = GOOD_KINDS.map(
    (kind) => [kind, gates.filter((each) => each.kind === kind).length] as const,
  );
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}
