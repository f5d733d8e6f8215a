import { describe, expect, it } from '@jest/globals';
import type { NextAction, RunState } from '../../../domain/run/run-state.js';
import {
  blocked,
  BY,
  braked,
  CHECKED,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  type GivenEvent,
  GivenRun,
  granted,
  LOOKED,
  MEMBER,
  order,
  PARK,
  soaked,
  STARTED,
  turned,
  verdict,
} from './given-run.js';

const member = (decision = does(), soakSeconds = 0): GivenRun =>
  new GivenRun([decision], { soakSeconds }, MEMBER);

/** A member in each situation in which an order may find it. */
const SITUATIONS = {
  'before its start': () => member(),
  'in a step': () => member().stepping(),
  'in recovery': () => member().stepping().on(failed('Timeout')),
  'held for a person': () => member().stepping().on(failed('ForeignEdit'), FENCED, LOOKED),
  'held until it heals': () => member(blocked()).stepping(),
  'in a soak': () => member(does(), 9).stepping().rule(DONE).on(finished()),
} as const;

const given = (situation: keyof typeof SITUATIONS): GivenRun => SITUATIONS[situation]();

/** What is due at once, and once the step or the recovery in flight has ended. */
type Row = readonly [
  situation: keyof typeof SITUATIONS,
  name: string,
  ordered: GivenEvent,
  atOnce: NextAction['kind'],
  then: readonly GivenEvent[],
  later: NextAction['kind'],
];

const WITHDRAW = order({ kind: 'withdraw', by: BY });
const STEP_ENDS = [finished()] as const;
const RECOVERS = [FENCED, LOOKED] as const;

const ROWS: readonly Row[] = [
  ['before its start', 'park', PARK, 'continue', [STARTED], 'awaitCommand'],
  ['before its start', 'brake', braked(), 'continue', [STARTED], 'awaitCommand'],
  ['before its start', 'withdraw', WITHDRAW, 'continue', [STARTED], 'finish'],
  ['in a step', 'park', PARK, 'continue', STEP_ENDS, 'awaitCommand'],
  ['in a step', 'brake', braked(), 'continue', STEP_ENDS, 'awaitCommand'],
  ['in a step', 'withdraw', WITHDRAW, 'continue', STEP_ENDS, 'finish'],
  ['in a step', 'turn', turned('kcm'), 'continue', STEP_ENDS, 'takeFence'],
  ['in a step', 'grant', granted(), 'continue', STEP_ENDS, 'runStep'],
  ['in recovery', 'park', PARK, 'continue', RECOVERS, 'awaitCommand'],
  ['in recovery', 'brake', braked(), 'continue', RECOVERS, 'awaitCommand'],
  ['in recovery', 'withdraw', WITHDRAW, 'continue', RECOVERS, 'finish'],
  ['in recovery', 'turn', turned('kcm'), 'continue', RECOVERS, 'takeFence'],
  ['held for a person', 'park', PARK, 'awaitCommand', [], 'awaitCommand'],
  ['held for a person', 'brake', braked(), 'awaitCommand', [], 'awaitCommand'],
  ['held for a person', 'withdraw', WITHDRAW, 'finish', [], 'finish'],
  ['held for a person', 'turn', turned('kcm'), 'takeFence', [], 'takeFence'],
  ['held for a person', 'turn the same way', turned('ccm'), 'takeFence', [], 'takeFence'],
  ['held for a person', 'grant', granted(), 'takeFence', [], 'takeFence'],
  ['held until it heals', 'park', PARK, 'awaitChange', [], 'awaitChange'],
  ['held until it heals', 'brake', braked(), 'awaitCommand', [], 'awaitCommand'],
  ['held until it heals', 'turn', turned('kcm'), 'takeFence', [], 'takeFence'],
  ['held until it heals', 'grant', granted(), 'observe', [], 'observe'],
  ['in a soak', 'park', PARK, 'awaitCommand', [], 'awaitCommand'],
  ['in a soak', 'brake', braked(), 'awaitCommand', [], 'awaitCommand'],
  ['in a soak', 'withdraw', WITHDRAW, 'finish', [], 'finish'],
  ['in a soak', 'turn', turned('kcm'), 'takeFence', [], 'takeFence'],
  ['in a soak', 'grant', granted(), 'continue', [soaked()], 'runStep'],
];

describe('an order to a member', () => {
  it.each(ROWS)('finds it %s: %s', (situation, _name, ordered, atOnce, then, later) => {
    const run = given(situation);
    run.last = { kind: 'continue' };
    expect(run.on(ordered).last.kind).toBe(atOnce);
    expect(run.on(...then).last.kind).toBe(later);
    expect(run.state.membership.orders).toEqual([]);
  });

  it.each([
    ['of another fleet run', PARK, { fleetRun: 'run-0' }],
    ['for another row', PARK, { row: 5 }],
    ['of a former grant', PARK, { grant: 0 }],
    ['to adopt it again', order({ kind: 'adopt', fleetWorkflowId: 'fleet-migration/b' }), {}],
    [
      'to adopt it into another fleet',
      order({ kind: 'adopt', fleetWorkflowId: 'f' }),
      { fleetRun: 'b', grant: 9 },
    ],
    ['with the grant it has', granted(1), {}],
    ['to brake in a former grant', braked(), { grant: 0 }],
    ['to turn in a former grant', turned('kcm'), { grant: 0 }],
    ['to withdraw in a former grant', WITHDRAW, { grant: 0 }],
  ])('%s has no effect', (_, ordered, changes) => {
    for (const situation of ['held until it heals', 'in a soak', 'in a step'] as const) {
      const run = given(situation);
      const { state } = run;
      if (ordered.kind !== 'orderReceived') throw new Error('no order');
      const message = { ...ordered.message, ...changes };
      run.on({ kind: 'orderReceived', message });
      expect(run.last).toEqual({ kind: 'continue' });
      const untold = (each: RunState): RunState => ({
        ...each,
        membership: { ...each.membership, orders: [] },
      });
      expect(untold(run.state)).toEqual(untold(state));
      if (situation !== 'in a step') continue;
      run.on(finished());
      expect(run.state.membership).toEqual(state.membership);
      expect(run.last.kind).toBe('runStep');
    }
  });

  it('to a run without a fleet has no effect, unless it adopts it', () => {
    const run = new GivenRun([blocked()]).stepping();
    expect(run.on(PARK, turned('kcm'), WITHDRAW).last).toEqual({ kind: 'continue' });
    expect(run.state.membership.of).toBeNull();
    const adopt = order({ kind: 'adopt', fleetWorkflowId: MEMBER.fleetWorkflowId }, { grant: 3 });
    expect(run.on(adopt).last).toEqual({ kind: 'continue' });
    expect(run.state.membership).toMatchObject({ of: { ...MEMBER, grant: 3 }, ordered: 'ccm' });
    expect(run.on(order({ kind: 'park' }, { grant: 3 })).state.membership.slot).toBe('givenBack');
  });

  it('after the word to stop has no effect', () => {
    const run = member().stepping().on(command('stop'), braked());
    expect(run.on(finished()).last.kind).toBe('finish');
    expect(run.state.membership.brakes).toEqual([]);
  });

  it('after its end has no effect', () => {
    const run = member(DONE).stepping();
    const { state } = run;
    expect(run.on(PARK).last).toEqual({ kind: 'continue' });
    expect(run.state).toEqual(state);
  });

  it('in a newer grant starts the count of its reports again', () => {
    const run = member(blocked()).stepping();
    run.state = {
      ...run.state,
      membership: { ...run.state.membership, sequence: 7 },
    };
    run.on(PARK);
    expect(run.state.membership).toMatchObject({ of: { grant: 1 }, sequence: 7 });
    run.on(granted(2));
    expect(run.state.membership).toMatchObject({ of: { grant: 2 }, sequence: 0, slot: 'held' });
  });
});

describe('a brake', () => {
  it('ends by its own release only, however many hold the run', () => {
    const run = member(does()).stepping().on(braked('a'), braked('b'), finished());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(braked('c', 'release')).last).toEqual({ kind: 'continue' });
    expect(run.on(braked('a', 'release')).last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(braked('b', 'release')).last.kind).toBe('observe');
    expect(run.on(LOOKED).last.kind).toBe('runStep');
  });

  it('counts once, and not at all after its release', () => {
    const run = given('held until it heals').on(braked('a'), braked('a'));
    expect(run.state.membership.brakes).toHaveLength(1);
    run.on(braked('a', 'release'), braked('a'), braked('late', 'release'), braked('late'));
    expect(run.state.membership.brakes).toEqual([]);
  });

  it('is released in whatever grant', () => {
    const run = given('held until it heals').on(granted(2));
    run.on(order({ kind: 'brake', commandId: 'a', by: BY }, { grant: 2 }));
    expect(run.state.membership.brakes).toHaveLength(1);
    expect(run.on(braked('a', 'release')).state.membership.brakes).toEqual([]);
  });

  it('of a newer grant leaves the slot to the order that gives it', () => {
    const run = given('held until it heals').on(PARK);
    run.on(order({ kind: 'brake', commandId: 'a', by: BY }, { grant: 2 }));
    expect(run.state.membership).toMatchObject({ of: { grant: 1 }, slot: 'givenBack' });
    run.on(granted(2));
    expect(run.state.membership).toMatchObject({ of: { grant: 2 }, slot: 'held' });
    expect(run.last).toEqual({ kind: 'awaitCommand' });
  });

  it('and the pause of a person end independently', () => {
    const run = given('held until it heals').on(braked(), command('pause'));
    const resume = command('resume');
    expect(run.on(resume).last).toEqual({ kind: 'awaitCommand' });
    expect(run.answer(resume)).toBe('applied: resumed, target CCM');
    const again = command('resume');
    expect(run.on(again).last).toEqual({ kind: 'continue' });
    expect(run.answer(again)).toBe(
      'refused: CCM4005: the fleet paused it, by cy: CHG-7; resume it there',
    );
    run.on(command('pause'));
    expect(run.on(braked('pause-1', 'release')).last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(command('resume')).last.kind).toBe('observe');
  });

  it('is no breach, and a breach under it does not move the run', () => {
    const run = given('held until it heals').on(braked());
    expect(run.state.problems.breaches).toEqual([]);
    expect(run.on({ kind: 'guardBreach', verdict: verdict() }).last).toEqual({ kind: 'continue' });
    expect(run.state.problems.breaches).toHaveLength(1);
  });

  it('survives a turn', () => {
    const run = given('in a soak').on(braked(), turned('kcm'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.direction.target).toBe('kcm');
    expect(run.on(braked('pause-1', 'release')).last.kind).toBe('takeFence');
  });
});

describe('a turn', () => {
  it('counts once when it is repeated', () => {
    const run = given('held for a person').on(turned('ccm'), FENCED, LOOKED);
    expect(run.last.kind).toBe('runStep');
    run.on(failed('ForeignEdit'), FENCED, LOOKED);
    expect(run.on(turned('ccm')).last).toEqual({ kind: 'continue' });
    expect(run.on(turned('ccm', 2)).last.kind).toBe('takeFence');
  });

  it.each([
    ['by the policy of the fleet', turned('kcm', 1, false), false],
    ['by a person through the fleet', turned('kcm', 1, true), true],
    ['by a person here', command('rollBack'), true],
  ])('%s is remembered as such', (_, event, byPerson) => {
    expect(given('in a soak').on(event).state.membership.turnedByPerson).toBe(byPerson);
  });

  it.each([
    ['stays asked for when the policy of the fleet orders the same', 'kcm', true],
    ['is forgotten when the policy of the fleet turns the run', 'ccm', false],
  ] as const)('one that a person asked for %s', (_, target, byPerson) => {
    const run = given('in a soak').on(turned('kcm', 1, true), turned(target, 2, false));
    expect(run.state.membership.turnedByPerson).toBe(byPerson);
  });

  it('by the policy of the run is not asked for by a person, also after a person turned it', () => {
    const run = new GivenRun([does()], { onBreach: 'rollBack' }, MEMBER).stepping();
    run.on(command('rollBack'), finished(), command('rollForward'), FENCED, LOOKED, CHECKED);
    expect(run.state.membership.turnedByPerson).toBe(true);
    expect(run.last.kind).toBe('runStep');
    run.on(finished([verdict()]));
    expect(run.state).toMatchObject({
      direction: { target: 'kcm' },
      membership: { turnedByPerson: false, ordered: 'ccm' },
    });
  });
});
