import { HOUR_SCRAPES, type Trace, type TracedScrape } from './traces/drawn-trace.js';

/** A rule that others use, with the numbers of their documentation where they state any. It says at which scrape after our step it fails; null for never. */
export interface OtherGateRule {
  readonly name: string;
  readonly failsAt: (trace: Trace) => number | null;
}

const MINUTE = 4;

export const OTHER_GATE_RULES: readonly OtherGateRule[] = [
  {
    // argo-rollouts, docs/features/analysis.md: interval 5m, successCondition result[0] >= 0.95, failureLimit 3; failures add up.
    name: 'Argo 5 %/5 m, limit 3',
    failsAt: (trace) => cumulativeFailures(trace, { every: 5 * MINUTE, above: 0.05, most: 3 }),
  },
  {
    // docs.flagger.app, webapp metrics: interval 1m, request-success-rate min 99, threshold 5; failed checks add up.
    name: 'Flagger 1 %/1 m, 5',
    failsAt: (trace) => cumulativeFailures(trace, { every: MINUTE, above: 0.01, most: 4 }),
  },
  { name: '10 %, 3 in a row', failsAt: (trace) => inARow(trace, 0.1, 3) },
  {
    name: 'burn 10 × 1 %, 10 m and 1 m',
    failsAt: (trace) => burnRate(trace, { above: 0.1, long: 10 * MINUTE, short: MINUTE }),
  },
  {
    // SRE workbook, chapter 5, table 5-8: 14.4 over 1 h and 5 m, here of a budget of 1 %.
    name: 'SRE 14.4 × 1 %, 1 h and 5 m',
    failsAt: (trace) => burnRate(trace, { above: 0.144, long: HOUR_SCRAPES, short: 5 * MINUTE }),
  },
];

function cumulativeFailures(
  { after }: Trace,
  { every, above, most }: { readonly every: number; readonly above: number; readonly most: number },
): number | null {
  const sums = runningSums(after);
  let failures = 0;
  for (let end = every; end <= after.length; end += every) {
    if (ratioOver(sums, end - every, end) > above) failures += 1;
    if (failures > most) return end;
  }
  return null;
}

/** Scrapes without events neither count nor interrupt. */
function inARow({ after }: Trace, above: number, needed: number): number | null {
  let bad = 0;
  for (const [index, each] of after.entries()) {
    if (each.total > 0) bad = each.bad / each.total > above ? bad + 1 : 0;
    if (bad >= needed) return index + 1;
  }
  return null;
}

function burnRate(
  { before, after }: Trace,
  { above, long, short }: { readonly above: number; readonly long: number; readonly short: number },
): number | null {
  const known = before.slice(-HOUR_SCRAPES);
  const sums = runningSums([...known, ...after]);
  for (let end = 1; end <= after.length; end += 1) {
    const at = known.length + end;
    const burns = [long, short].every(
      (length) => ratioOver(sums, Math.max(0, at - length), at) >= above,
    );
    if (burns) return end;
  }
  return null;
}

interface RunningSums {
  readonly bad: Float64Array;
  readonly total: Float64Array;
}

function runningSums(scrapes: readonly TracedScrape[]): RunningSums {
  const bad = new Float64Array(scrapes.length + 1);
  const total = new Float64Array(scrapes.length + 1);
  for (const [index, each] of scrapes.entries()) {
    bad[index + 1] = Number(bad[index]) + each.bad;
    total[index + 1] = Number(total[index]) + each.total;
  }
  return { bad, total };
}

/** 0 without events: none of these rules fails on silence. */
function ratioOver({ bad, total }: RunningSums, from: number, to: number): number {
  const events = Number(total[to]) - Number(total[from]);
  return events === 0 ? 0 : (Number(bad[to]) - Number(bad[from])) / events;
}
