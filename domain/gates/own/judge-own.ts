import type { MetricGatePolicy, OwnGauge, OwnLimit } from '../../policy.js';
import { CLOCK_TOLERANCE_MS } from '../samples/difference-counters.js';
import { type Measurement, measured, unmeasured } from '../samples/measurement.js';
import { METRIC_CODES } from '../soft-codes.js';
import type { GateNumbers, GateVerdict } from '../verdicts.js';
import { wholeSeconds } from '../whole-seconds.js';
import { EMPTY_BOOK } from '../watch/gate-book.js';
import type { JudgedAt } from '../watch/judged.js';
import { judgeCountGate } from './own-counts.js';
import { type LatestSample, type OwnBook, type OwnGaugeState, stateIn } from './own-book.js';

/** Scrapes in a row beyond the limit, and the time they must span: a blip holds, and turns nothing. */
const SCRAPES_TO_FAIL = 3;
/** Three scrapes at the usual 15 s, less what their times may vary. */
const SPAN_TO_FAIL_MS = 25_000;

/** What each of the operator's own gates says now. Only a measured failure is `fail`: all else that holds can turn no run. */
export function judgeOwnBook(
  book: OwnBook,
  policy: MetricGatePolicy,
  /** Its source is the host that was asked. */
  at: JudgedAt,
): readonly GateVerdict[] {
  const { own = [] } = policy;
  return own.map((gate) =>
    gate.kind === 'gauge'
      ? judgeOwnGauge(book, gate, policy, at)
      : judgeCountGate(book.counted ?? EMPTY_BOOK, gate, policy, at),
  );
}

function judgeOwnGauge(
  book: OwnBook,
  gate: OwnGauge,
  { unmeasuredMs }: MetricGatePolicy,
  { nowMs, source }: JudgedAt,
): GateVerdict {
  const state = stateIn(book, gate);
  const counting = countingSample(state, unmeasuredMs, nowMs);
  const head = { gate: gate.name, hardness: 'soft' } as const;
  return counting.kind === 'unmeasured'
    ? { ...head, verdict: 'error', detail: counting.why, code: METRIC_CODES.unmeasured }
    : { ...head, ...judged(counting.value, state, gate, source) };
}

/** The latest sample where it says something of now. */
function countingSample(
  { latest, refused, why }: OwnGaugeState,
  unmeasuredMs: number,
  nowMs: number,
): Measurement<LatestSample> {
  if (refused) return unmeasured(why);
  if (latest === null) return unmeasured(why === '' ? 'not queried yet' : why);
  const agoMs = nowMs - latest.readAtMs;
  // Another worker wrote the book, whose clock is ahead: its reading would count for too long.
  if (agoMs < -CLOCK_TOLERANCE_MS) return unmeasured('read in the future: compare the clocks');
  if (agoMs <= unmeasuredMs) return measured(latest);
  return unmeasured(why === '' ? `not read for ${wholeSeconds(agoMs)}` : why);
}

type Saying = Pick<GateVerdict, 'verdict' | 'detail' | 'code' | 'numbers'>;

function judged(
  { value, scrapedAtMs }: LatestSample,
  { beyond }: OwnGaugeState,
  { limit, promql }: OwnGauge,
  source: string,
): Saying {
  const numbers: GateNumbers = {
    ...{ unit: 'own', value, limit: 'above' in limit ? limit.above : limit.below },
    ...{ window: null, source, query: promql },
  };
  const seen = `${plainNumber(value)}, bad ${badText(limit)}`;
  if (beyond === null) return { verdict: 'pass', detail: seen, code: METRIC_CODES.fail, numbers };
  const { scrapes, sinceMs } = beyond;
  const detail = `${seen}, in ${String(scrapes)} scrape${scrapes === 1 ? '' : 's'} in a row`;
  return scrapes >= SCRAPES_TO_FAIL && scrapedAtMs - sinceMs >= SPAN_TO_FAIL_MS
    ? { verdict: 'fail', detail, code: METRIC_CODES.fail, numbers }
    : { verdict: 'inconclusive', detail, code: METRIC_CODES.suspect, numbers };
}

/** `above 0.02`, `below 3`: where values are bad. */
function badText(limit: OwnLimit): string {
  return 'above' in limit
    ? `above ${plainNumber(limit.above)}`
    : `below ${plainNumber(limit.below)}`;
}

/** A number of unknown unit, with at most six digits that count. */
export function plainNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}
