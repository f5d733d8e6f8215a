import { HOUR_SCRAPES, OWN_STEPS_MS, SCRAPE_MS, type Course, type Moment } from './drawn-trace.js';

export const GOOD_KINDS = ['steady', 'clustered', 'seasonal', 'blip', 'backOff', 'reset'] as const;
export type GoodKind = (typeof GOOD_KINDS)[number];

/** A gate in which nothing is wrong: its events and the share of them that fail as ever. */
export interface Usual {
  readonly perMinute: number;
  readonly ratio: number;
}

const DAY_SCRAPES = 24 * HOUR_SCRAPES;

export function usualMoment({ perMinute, ratio }: Usual): Moment {
  return { expected: (perMinute * SCRAPE_MS) / 60_000, ratio, failing: 0, lost: false };
}

export function goodCourse(
  kind: GoodKind,
  usual: Usual,
  { scrapes, random }: { readonly scrapes: number; readonly random: () => number },
): Course {
  switch (kind) {
    case 'steady':
      return () => usualMoment(usual);
    case 'clustered':
      return clustered(usual, random);
    case 'seasonal':
      return seasonal(usual, random);
    case 'blip':
      return blip(usual, scrapes, random);
    case 'backOff':
      return backOff(usual, random);
    case 'reset':
      return reset(usual, scrapes, random);
  }
}

/** Half of the errors come in bursts of two scrapes on average, in which 30 % fail. */
function clustered(usual: Usual, random: () => number): Course {
  const [inBurst, leaves] = [0.3, 0.5];
  const share = usual.ratio / 2 / inBurst;
  const enters = (leaves * share) / (1 - share);
  let bursts = false;
  return () => {
    bursts = random() < (bursts ? 1 - leaves : enters);
    return usualMoment({ ...usual, ratio: bursts ? inBurst : usual.ratio / 2 });
  };
}

/** Traffic and errors swing by half over a day, each in its own phase. */
function seasonal({ perMinute, ratio }: Usual, random: () => number): Course {
  const phases = [random(), random()];
  const swing = (index: number, phase = 0): number =>
    1 + 0.5 * Math.sin(2 * Math.PI * (index / DAY_SCRAPES + phase));
  return (index) =>
    usualMoment({
      perMinute: perMinute * swing(index, phases[0]),
      ratio: ratio * swing(index, phases[1]),
    });
}

/** For 15 s, once in the run, everything fails. */
function blip(usual: Usual, scrapes: number, random: () => number): Course {
  const from = random() * scrapes;
  const to = from + 1;
  return (index) => {
    const covered = Math.max(0, Math.min(index + 1, to) - Math.max(index, from));
    return usualMoment({ ...usual, ratio: covered + (1 - covered) * usual.ratio });
  };
}

/**
 * One Service was broken before and stays so. Its back-off of 5 s doubles up to five minutes, and begins again with the process that
 * takes over: at our first and fourth steps (service controller: minRetryDelay, maxRetryDelay).
 */
function backOff(usual: Usual, random: () => number): Course {
  const moves = [OWN_STEPS_MS[0] ?? 0, OWN_STEPS_MS[3] ?? 0];
  const [least, most] = [5000, 300_000];
  let nextMs = -6 * 3_600_000 + random() * most;
  let delayMs = most;
  return (index) => {
    const [fromMs, toMs] = [index * SCRAPE_MS, (index + 1) * SCRAPE_MS];
    if (moves.includes(fromMs)) [nextMs, delayMs] = [fromMs + least, least];
    let failing = 0;
    for (; nextMs < toMs; nextMs += delayMs) {
      failing += 1;
      delayMs = Math.min(most, delayMs * 2);
    }
    return { ...usualMoment(usual), failing };
  };
}

/** The process starts again at our first step and up to twice later: a scrape is lost, then a full resync counts at once. */
function reset(usual: Usual, scrapes: number, random: () => number): Course {
  const later = Array.from({ length: Math.floor(random() * 3) }, () => random() * scrapes);
  const starts = [0, ...later.map(Math.floor)];
  const resync = 20 + Math.floor(random() * 180);
  return (index) => {
    if (starts.includes(index)) return { ...usualMoment(usual), lost: true };
    const moment = usualMoment(usual);
    return starts.includes(index - 1) ? { ...moment, expected: resync } : moment;
  };
}
