import { expect, it } from '@jest/globals';
import { reachOf, type Telling, withTelling } from '../../../domain/fleet/command-reach.js';
import { GivenFleet, rowPlans, rows } from './given-fleet.js';

/** A fleet of three that move, and the rows that its last command has to be told to. */
function told(fleet: GivenFleet): Telling | undefined {
  return withTelling([], 'command-1', fleet.actions)[0];
}

function three(): GivenFleet {
  return new GivenFleet({ rows: rowPlans({}, {}, {}) }, { inFlight: 3 });
}

it('names the clusters that could not be told, and counts those that are still to be told', () => {
  const fleet = three();
  fleet.command({ verb: 'pause' });
  expect(told(fleet)).toEqual({ commandId: 'command-1', rows: [0, 1, 2] });
  expect(reachOf(fleet.state, told(fleet), { undelivered: [0, 1, 2], away: [1] })).toEqual({
    ...{ unreached: ['c1'], unreachedCount: 1, waiting: 2 },
  });
  expect(reachOf(fleet.state, told(fleet), { undelivered: [], away: [1] })).toEqual({
    ...{ unreached: [], unreachedCount: 0, waiting: 0 },
  });
});

it('a command is about its own clusters: others that cannot be reached are not its matter', () => {
  const fleet = three();
  fleet.command({ verb: 'rollBack' }, rows(0));
  const reach = reachOf(fleet.state, told(fleet), { undelivered: [0, 1], away: [0, 1] });
  expect(reach).toMatchObject({ unreached: ['c0'], waiting: 0 });
});

it('a run that has ended does not have to be told any more', () => {
  const fleet = three();
  fleet.command({ verb: 'pause' });
  const telling = told(fleet);
  const { state } = fleet.prove(1);
  expect(reachOf(state, telling, { undelivered: [0, 1], away: [0, 1] })).toMatchObject({
    unreached: ['c0'],
    unreachedCount: 1,
  });
});

it('names are bounded and all of them are counted', () => {
  const fleet = new GivenFleet({ rows: rowPlans(...Array.from({ length: 80 }, () => ({}))) });
  const all = fleet.state.rows.map(({ index }) => index);
  const reach = reachOf(
    fleet.state,
    { commandId: 'x', rows: all },
    { undelivered: all, away: all },
  );
  expect([reach?.unreached.length, reach?.unreachedCount]).toEqual([50, 80]);
});

it('a command that is not remembered reaches no one knows whom', () => {
  const fleet = three();
  expect(reachOf(fleet.state, undefined, { undelivered: [], away: [] })).toBeNull();
});

it('the last few commands are remembered, each once, and a start is no telling', () => {
  const start = { kind: 'start', row: 0, grant: 1, target: 'ccm' } as const;
  const park = { kind: 'park', row: 2, grant: 1 } as const;
  const first = withTelling([], 'a', [start, park, park]);
  expect(first).toEqual([{ commandId: 'a', rows: [2] }]);
  expect(withTelling(first, 'a', [])).toBe(first);
  let many = first;
  for (let index = 0; index < 40; index += 1) many = withTelling(many, `${index}`, []);
  expect(many).toHaveLength(16);
  expect(many.at(-1)?.commandId).toBe('39');
});
