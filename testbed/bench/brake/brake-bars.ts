import { atLeast, atMost, exactly, type Bar } from '../stated-bars.js';
import { brakeGroups, type BrakeFigures, type BrakeGroup } from './brake-figures.js';

const RUNS = 100;
const MINUTES = 10;

/** What the figures must keep. A quick try has too few runs for the first one. */
export function brakeBars(figures: BrakeFigures): readonly Bar[] {
  const { seconds, accounts, missed } = figures;
  return [
    atLeast('runs', accounts.length, RUNS),
    atMost('runs in which nothing became bad', missed.length, accounts.length / 20),
    atMost('minutes', seconds / 60, MINUTES),
    ...brakeGroups(figures).flatMap(groupBars),
  ];
}

/**
 * Runs that wrote nothing more are no success of the first bar. Of each run, the fence has to say it in that time: until then a
 * new write could have come.
 */
function groupBars(group: BrakeGroup): readonly Bar[] {
  const { limitSeconds, lastNew, closed, unstopped } = group;
  const where = groupText(group);
  return [
    ...(lastNew === null
      ? []
      : [atMost(`${where}: s to the last new write, p99`, lastNew.p99, limitSeconds)]),
    atMost(`${where}: s until the fence refuses, p99`, closed?.p99, limitSeconds),
    exactly(`${where}: runs that went on`, unstopped, 0),
  ];
}

export function groupText({ kind, phase }: Pick<BrakeGroup, 'kind' | 'phase'>): string {
  const places = {
    changing: 'while changes may happen',
    waiting: 'in a hold',
    soaking: 'in a soak',
  } as const;
  return `${kind}, ${places[phase]}`;
}
