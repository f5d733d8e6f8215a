/** Below this the series needs more terms than it has; the recurrence Γ(x+1) = xΓ(x) lifts smaller arguments over it. */
const SERIES_FROM = 10;
const HALF_LOG_2_PI = Math.log(2 * Math.PI) / 2;

/** Coefficients of 1/x, 1/x³, … in Stirling's series: B(2k) / (2k (2k - 1)), Abramowitz & Stegun 6.1.41. */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360_360];

/**
 * The natural logarithm of Γ(x) for x > 0, to about 14 significant digits. Arguments here are counts plus a half or one, so
 * poles and negative arguments do not occur: they give NaN.
 */
export function logGamma(x: number): number {
  if (!(x > 0)) return Number.NaN;
  let lifted = x;
  let product = 1;
  for (; lifted < SERIES_FROM; lifted += 1) product *= lifted;
  const main = (lifted - 0.5) * Math.log(lifted) - lifted + HALF_LOG_2_PI;
  return main + stirlingRest(lifted) - Math.log(product);
}

function stirlingRest(x: number): number {
  const inverseSquare = 1 / (x * x);
  return STIRLING.reduceRight((rest, each) => rest * inverseSquare + each, 0) / x;
}
