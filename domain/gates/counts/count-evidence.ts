import { codingRegret } from './coding-regret.js';

/** So many events, so many of them bad. Not always whole numbers: a capped baseline is weighed. */
export interface Counts {
  readonly bad: number;
  readonly total: number;
}

/**
 * The natural logarithm of an e-value against "the window's ratio is at most `tolerance` times the baseline's", by universal
 * inference (Wasserman, Ramdas and Balakrishnan, PNAS 2020): KT(base) · KT(window) / sup p of L(p; base) · L(tolerance · p; window).
 * Whatever the true ratio, it ever exceeds ln(1/α) in a growing window with probability of at most α. 0 where the window is
 * no worse.
 */
export function evidenceOfHarm(base: Counts, window: Counts, tolerance: number): number {
  if (window.total === 0 || base.total === 0) return 0;
  if (window.bad * base.total <= tolerance * base.bad * window.total) return 0;
  const ratio = likeliestBaseRatio(base, window, tolerance);
  const gained = gainOver(base, ratio) + gainOver(window, tolerance * ratio);
  const paid = codingRegret(base.bad, base.total) + codingRegret(window.bad, window.total);
  return Math.max(0, gained - paid);
}

/** The same against "the ratio is at most `limit`", which needs no baseline. */
export function evidenceOverLimit(window: Counts, limit: number): number {
  if (window.bad <= limit * window.total) return 0;
  return Math.max(0, gainOver(window, limit) - codingRegret(window.bad, window.total));
}

/**
 * The ratio that explains both best while the window's is `tolerance` times the baseline's: the smaller root of the quadratic
 * that the derivative of the log-likelihood gives, which is never above 1 / tolerance.
 */
function likeliestBaseRatio(base: Counts, window: Counts, tolerance: number): number {
  const bad = base.bad + window.bad;
  const [goodBase, goodWindow] = [base.total - base.bad, window.total - window.bad];
  const square = tolerance * (bad + goodBase + goodWindow);
  const linear = bad * (1 + tolerance) + goodBase + tolerance * goodWindow;
  const root = Math.sqrt(Math.max(0, linear * linear - 4 * square * bad));
  return (2 * bad) / (linear + root);
}

/** Log-likelihood at the own ratio of these counts, less that at another one, in nats. */
function gainOver({ bad, total }: Counts, ratio: number): number {
  // Rounded to 1, a ratio would make one good event prove everything.
  const good = Math.max(Number.EPSILON, 1 - ratio);
  return weighed(bad, total * ratio) + weighed(total - bad, total * good);
}

function weighed(count: number, expected: number): number {
  return count === 0 ? 0 : count * Math.log(count / expected);
}
