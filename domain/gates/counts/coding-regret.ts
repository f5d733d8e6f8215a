import { logGamma } from './log-gamma.js';

const HALF_LOG_2_PI = Math.log(2 * Math.PI) / 2;

/** Above this the first term of the series is exact to the last digit, and differences of logGamma no longer are. */
const SERIES_ABOVE = 1e4;

/**
 * By how much the best fixed ratio explains `bad` of `total` better than the Krichevsky–Trofimov mixture, which knows no ratio
 * beforehand: max log-likelihood - log KT, in nats; about ½ ln(πn/2). With it, log KT is never computed as a difference of
 * numbers as large as the counts.
 */
export function codingRegret(bad: number, total: number): number {
  if (total === 0) return 0;
  const parts = afterStirling(bad, 0.5) + afterStirling(total - bad, 0.5);
  return Math.log((Math.PI * total) / 2) / 2 + afterStirling(total, 1) - parts;
}

/** The part of ln Γ(x + a) beyond x ln x - x + ½ ln 2π, and for a = 1 beyond another ½ ln x. */
function afterStirling(x: number, a: 0.5 | 1): number {
  if (x > SERIES_ABOVE) return a === 1 ? 1 / (12 * x) : -1 / (24 * x);
  const main = x === 0 ? 0 : x * Math.log(x) - x;
  const root = a === 1 ? Math.log(x) / 2 : 0;
  return logGamma(x + a) - main - root - HALF_LOG_2_PI;
}
