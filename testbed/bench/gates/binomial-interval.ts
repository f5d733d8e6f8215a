/**
 * The upper limit of a probability of which `found` of `tries` were seen, one-sided at 95 % (Clopper–Pearson): the greatest one that
 * would still show so few in one of twenty samples.
 */
export function upperLimit(found: number, tries: number): number {
  return tries === 0 || found >= tries
    ? 1
    : crossing((ratio) => shareUpTo(found, tries, ratio) > 0.05);
}

/** Both limits of a two-sided interval at 95 %, in percent. */
export function intervalText(found: number, tries: number): string {
  const upper = (of: number): number =>
    of >= tries ? 1 : crossing((ratio) => shareUpTo(of, tries, ratio) > 0.025);
  const [low, high] = [1 - upper(tries - found), upper(found)];
  const percent = (ratio: number): string => (ratio * 100).toFixed(1);
  return `${percent(found / tries)} % [${percent(low)}–${percent(high)}]`;
}

/** The ratio up to which a condition holds that holds at 0 and not at 1. */
function crossing(holds: (ratio: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let turn = 0; turn < 50; turn += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return high;
}

function shareUpTo(found: number, tries: number, ratio: number): number {
  let [logTerm, sum] = [tries * Math.log1p(-ratio), 0];
  for (let count = 0; count <= found; count += 1) {
    sum += Math.exp(logTerm);
    logTerm += Math.log(((tries - count) / (count + 1)) * (ratio / (1 - ratio)));
  }
  return sum;
}
