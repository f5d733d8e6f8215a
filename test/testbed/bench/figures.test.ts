import { describe, expect, it } from '@jest/globals';
import { measuredFigures, loopFigures } from '../../../testbed/bench/on-lab/measured-figures.js';
import { isOwnedBy } from '../../../testbed/bench/on-lab/settled.js';
import { spreadOf } from '../../../testbed/bench/spread.js';
import type { ControllerTruth } from '../../../testbed/simulator/model.js';

describe('a spread', () => {
  it('a spread takes the nearest rank of each share', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(spreadOf(hundred)).toEqual({ count: 100, mean: 50.5, p50: 50, p99: 99, max: 100 });
    expect(spreadOf([3])).toEqual({ count: 1, mean: 3, p50: 3, p99: 3, max: 3 });
    expect(spreadOf([1, 2, 9])).toMatchObject({ p50: 2, p99: 9, max: 9 });
  });

  it('a spread of no values is null', () => {
    expect(spreadOf([])).toBeNull();
  });
});

/** Owners from a given second on; the last entry applies from then on. */
function truth(...turns: readonly (readonly [number, ...string[]])[]): ControllerTruth {
  const intervals = turns.map(([second, ...owners], index) => {
    const next = turns[index + 1]?.[0];
    return { fromMs: second * 1000, toMs: next === undefined ? null : next * 1000, owners };
  });
  return { intervals, overlapSeconds: 0, orphanSeconds: 0, moves: 0, orphans: [] };
}

const WINDOW = { fromMs: 10_000, toMs: 60_000 };

describe('figures of a direction', () => {
  it('figures of a direction cover its own time alone', () => {
    const told = truth([0], [5, 'a'], [8], [12, 'a'], [20], [23, 'b'], [70]);
    expect(loopFigures(told, WINDOW)).toEqual({
      gapSeconds: [2, 3],
      orphanSeconds: 5,
      overlapSeconds: 0,
      moves: 1,
    });
  });

  it('figures count two owners, and a gap that still lasts', () => {
    const told = truth([0, 'a'], [20, 'a', 'b'], [30, 'b'], [55]);
    expect(loopFigures(told, WINDOW)).toEqual({
      gapSeconds: [5],
      orphanSeconds: 5,
      overlapSeconds: 10,
      moves: 1,
    });
  });

  it('figures count no move when the same owner returns', () => {
    expect(loopFigures(truth([0, 'a'], [20], [25, 'a']), WINDOW).moves).toBe(0);
  });

  it('figures show each controller and the KCM’s other loops', () => {
    const calm = truth([0, 'kcm:cp-1#1']);
    const controllers = { service: truth([0, 'a'], [20], [24, 'b']), route: calm };
    const figures = measuredFigures(
      {
        controllers: { ...controllers, 'cloud-node-lifecycle': calm },
        kcmLeadership: truth([0, 'a'], [40], [47, 'b']),
      },
      WINDOW,
    );
    expect(figures.controllers.service.orphanSeconds).toBe(4);
    expect(figures.controllers.route.orphanSeconds).toBe(0);
    expect(figures.kcm).toMatchObject({ orphanSeconds: 7, moves: 1 });
  });
});

describe('the end of a direction', () => {
  const kcm = truth([0, 'kcm:cp-1#1']);
  const ccm = truth([0, 'kcm:cp-1#1'], [9, 'ccm:cp-2#2']);
  const all = (told: ControllerTruth) => ({
    service: told,
    route: told,
    'cloud-node-lifecycle': told,
  });
  const both = truth([0, 'kcm:cp-1#1', 'ccm:cp-2#2']);

  it.each<[string, Parameters<typeof isOwnedBy>[0], boolean]>([
    ['that is so', { controllers: all(ccm), kcmLeadership: kcm }, true],
    ['a KCM owns', { controllers: all(kcm), kcmLeadership: kcm }, false],
    [
      'a KCM owns one controller',
      { controllers: { ...all(ccm), route: kcm }, kcmLeadership: kcm },
      false,
    ],
    ['two own', { controllers: all(both), kcmLeadership: kcm }, false],
    ['no manager owns', { controllers: all(truth()), kcmLeadership: kcm }, false],
    ['no KCM leads', { controllers: all(ccm), kcmLeadership: truth([0]) }, false],
  ])(
    'a direction is over only when the CCM owns all and a KCM leads: %s',
    (_case, told, expected) => {
      expect(isOwnedBy(told, 'ccm')).toBe(expected);
    },
  );
});
