import { describe } from '@jest/globals';

/**
 * How much of the lab to run: nothing (`npm test`), what every check shows (`npm run test:lab`), or all (`npm run test:lab:all`, more than
 * half an hour). All of it needs root, Linux and Go.
 */
const wanted = process.env['CCM_TEST_LAB'];

export const isLabWanted = wanted === '1' || wanted === 'all';
export const isWholeLabWanted = wanted === 'all';

/** Stories of `npm run test:lab`. */
export function describeInLab(name: string, stories: () => void): void {
  if (isLabWanted) describe(name, stories);
  else describe.skip(`${name} (npm run test:lab; needs root, Linux and Go)`, stories);
}

/** Stories that take too long for every check. */
export function describeInWholeLab(name: string, stories: () => void): void {
  if (isWholeLabWanted) describe(name, stories);
  else describe.skip(`${name} (npm run test:lab:all; needs root, Linux and Go, and time)`, stories);
}
