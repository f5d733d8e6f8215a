import type { Measurement, Verdict } from './gates/verdicts.js';

/** When a gate opens: enough fresh samples of one indicator, all within bounds. */
export interface GateRule {
  readonly indicator: string;
  /** A sample may be at least / at most this; null where there is no such bound. */
  readonly atLeast: number | null;
  readonly atMost: number | null;
  /** Samples needed before the gate can say `pass`. */
  readonly samples: number;
  /** Older samples count as missing, in ms. */
  readonly freshMs: number;
}

/**
 * Measurements → verdict, failing closed (invariant I9): one bad sample is `fail`, however few there are; a sample that could
 * not be taken, or is not a finite number, is `error`; nothing fresh at all is `noData`; fewer good samples than asked for
 * are `inconclusive`.
 */
export function evaluateGate(rule: GateRule, measurements: readonly Measurement[]): Verdict {
  const own = measurements.filter(({ indicator }) => indicator === rule.indicator);
  const fresh = own.filter(({ ageMs }) => ageMs >= 0 && ageMs <= rule.freshMs);
  const values = fresh.flatMap(({ value }) =>
    value !== null && Number.isFinite(value) ? [value] : [],
  );
  if (values.some((value) => isOutside(rule, value))) return 'fail';
  if (values.length < fresh.length || fresh.some(({ error }) => error !== undefined))
    return 'error';
  if (fresh.length === 0) return 'noData';
  return values.length < rule.samples ? 'inconclusive' : 'pass';
}

function isOutside({ atLeast, atMost }: GateRule, value: number): boolean {
  return (atLeast !== null && value < atLeast) || (atMost !== null && value > atMost);
}
