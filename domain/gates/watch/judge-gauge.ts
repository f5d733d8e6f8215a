import type { MetricGatePolicy } from '../../policy.js';
import type { GateMeasure } from '../catalogue/catalogue-gate.js';
import { wholeSeconds } from '../whole-seconds.js';
import type { GaugePoint, GaugeState } from './gate-book.js';
import type { Judged, OwnNumbers } from './judged.js';

/**
 * A queue that sets no new low for so long and grows is not being worked off. The first full resync of 500 Services at 3 s each
 * takes 25 min, but its queue falls all the time; a busy queue has a few items whenever it is read.
 */
const NO_NEW_LOW_MS = 30 * 60_000;
const FEW_ITEMS = 10;

type StuckMeasure = Extract<GateMeasure, { readonly kind: 'stuck' }>;

/** What a gauge says now. One fresh sample decides a duration; a level is judged by how it moves. */
export function judgeGauge(
  { latest, lowest, why }: GaugeState,
  measure: GateMeasure,
  { unmeasuredMs }: MetricGatePolicy,
  nowMs: number,
): Judged {
  if (latest === null) {
    return why === ''
      ? { kind: 'absent', why: 'no manager serves its series' }
      : { kind: 'unmeasured', why };
  }
  // Another worker read it, whose clock is ahead by more than clocks may be, which the moment allows for: it would count for too long.
  if (latest.atMs > nowMs) {
    return { kind: 'unmeasured', why: why === '' ? 'read in the future: compare the clocks' : why };
  }
  if (!(nowMs - latest.atMs <= unmeasuredMs)) {
    return { kind: 'unmeasured', why };
  }
  return measure.kind === 'stuck' ? judgeStuck(latest, measure) : judgeBacklog(latest, lowest);
}

/** Ten calls that have taken 15 s each add up to more than one that hangs. */
function judgeStuck(
  { value }: GaugePoint,
  { limitSeconds: limit, decidedBy }: StuckMeasure,
): Judged {
  const numbers: OwnNumbers = { unit: 'seconds', value, limit, window: null };
  const detail = `${value.toFixed(1)} s, limit ${String(limit)} s`;
  const beyond = decidedBy === null ? 'fail' : 'suspect';
  return { kind: value > limit ? beyond : 'pass', numbers, detail };
}

function judgeBacklog({ atMs, value }: GaugePoint, lowest: GaugePoint | null): Judged {
  if (lowest === null) {
    const numbers: OwnNumbers = { unit: 'items', value, limit: null, window: null };
    return { kind: 'pass', numbers, detail: 'nothing waits' };
  }
  const window = { fromMs: lowest.atMs, toMs: atMs };
  const sinceLowMs = atMs - lowest.atMs;
  const numbers: OwnNumbers = { unit: 'items', value, limit: null, window };
  const least = `at least ${String(lowest.value)} for ${wholeSeconds(sinceLowMs)}`;
  const grows = value >= 2 * lowest.value + FEW_ITEMS;
  const kind = grows && sinceLowMs > NO_NEW_LOW_MS ? 'suspect' : 'pass';
  return { kind, numbers, detail: `${String(value)} waiting, ${least}` };
}
