/** What one gate would be shown: counts of scrapes, drawn without any rule that judges them. */
export interface TracedScrape {
  readonly atMs: number;
  readonly bad: number;
  readonly total: number;
}

export interface Trace {
  /** Scrapes before our first step, six hours of them. */
  readonly before: readonly TracedScrape[];
  readonly after: readonly TracedScrape[];
  /** How much of what was before is stored: all, the last hour, or only the counters of the process's life. */
  readonly past: 'all' | 'hour' | TracedScrape;
}

export const SCRAPE_MS = 15_000;
export const HOUR_SCRAPES = 3_600_000 / SCRAPE_MS;

/** When our first step is. */
export const FIRST_STEP_MS = 86_400_000;

/** Our steps after the first one: one every five minutes. */
export const OWN_STEPS_MS = [0, 5, 10, 15, 20, 25].map((minutes) => minutes * 60_000);

/** What happens in one scrape. */
export interface Moment {
  /** Events expected. */
  readonly expected: number;
  /** Probability that one of them is bad. */
  readonly ratio: number;
  /** Calls that fail whatever the ratio. */
  readonly failing: number;
  /** The scrape never comes, and the process that counted it is gone. */
  readonly lost: boolean;
}

/** Asked for each scrape in the order of time; the first after our first step has index 0. */
export type Course = (index: number) => Moment;

const BEFORE_SCRAPES = 6 * HOUR_SCRAPES;

export function drawTrace(
  course: Course,
  scrapes: number,
  { random, past }: { readonly random: () => number; readonly past: Trace['past'] },
): Trace {
  const before: TracedScrape[] = [];
  const after: TracedScrape[] = [];
  for (let index = -BEFORE_SCRAPES; index < scrapes; index += 1) {
    const moment = course(index);
    const scrape = drawScrape(moment, index, random);
    if (!moment.lost) (index < 0 ? before : after).push(scrape);
  }
  return { before, after, past };
}

function drawScrape(
  { expected, ratio, failing }: Moment,
  index: number,
  random: () => number,
): TracedScrape {
  const total = poisson(expected, random);
  return {
    atMs: FIRST_STEP_MS + (index + 1) * SCRAPE_MS,
    bad: binomial(total, ratio, random) + failing,
    total: total + failing,
  };
}

/** Knuth's method in parts, so that e^-mean never underflows. */
function poisson(mean: number, random: () => number): number {
  const part = Math.min(mean, 50);
  const limit = Math.exp(-part);
  let count = -1;
  for (let product = 1; product > limit || count < 0; count += 1) product *= random();
  return mean > part ? count + poisson(mean - part, random) : count;
}

function binomial(count: number, ratio: number, random: () => number): number {
  if (ratio <= 0) return 0;
  if (ratio >= 1) return count;
  let bad = 0;
  for (let each = 0; each < count; each += 1) if (random() < ratio) bad += 1;
  return bad;
}
