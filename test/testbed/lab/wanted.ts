import { describe } from '@jest/globals';

/**
 * How much of the lab to run: nothing (`npm test`), what shows each claim once (`npm run test:lab`), or all (`npm run test:lab:all`, hours).
 * All of it needs root, Linux and Go.
 */
const wanted = process.env['CCM_TEST_LAB'];
/** When the caller ends the tests, in ms since the epoch; a story that would take longer is left out by name, not cut off. */
const until = Number(process.env['CCM_TEST_LAB_UNTIL'] ?? Infinity);

export const isLabWanted = wanted === '1' || wanted === 'all';
export const isWholeLabWanted = wanted === 'all';

/** Of most suites, on a machine at half the usual speed. */
const MINUTES = 5;

/** Why a suite is left out, for its name; null where it runs. */
export function leftOut(minutes: number): string | null {
  if (!isLabWanted) return 'npm run test:lab; needs root, Linux and Go';
  const isTimeLeft = Date.now() + minutes * 60_000 <= until;
  return isTimeLeft ? null : `LEFT OUT: it may take ${minutes} minutes, and the time is up before`;
}

/** For a story that waits, so that it says what it waited for before it is cut off. */
export function msUntilCutOff(): number {
  return Math.max(0, until - Date.now());
}

/** Stories of `npm run test:lab`; `minutes` is what they may take at half the usual speed. */
export function describeInLab(name: string, stories: () => void, minutes = MINUTES): void {
  const why = leftOut(minutes);
  if (why === null) describe(name, stories);
  else describe.skip(`${name} (${why})`, stories);
}

/** Stories that take too long for every check. */
export function describeInWholeLab(name: string, stories: () => void): void {
  if (isWholeLabWanted) describe(name, stories);
  else describe.skip(`${name} (npm run test:lab:all; needs root, Linux and Go, and time)`, stories);
}
