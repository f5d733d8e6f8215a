import { describe, expect, it } from '@jest/globals';
import {
  blocked,
  BY,
  changeSeen,
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
  PARK,
  turned,
  verdict,
} from './given-run.js';

const member = (decision = does(), soakSeconds = 0): GivenRun =>
  new GivenRun([decision], { soakSeconds }, MEMBER);

describe('a parked member', () => {
  const healing = (): GivenRun => member(blocked()).stepping().on(PARK);

  it('waits on when what held it has passed, and goes on with its next grant', () => {
    const run = healing();
    expect(run.rule(does()).on(changeSeen()).last.kind).toBe('observe');
    expect(run.on(LOOKED).last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason).toBeNull();
    expect(run.on(granted()).last.kind).toBe('observe');
    expect(run.on(LOOKED).last.kind).toBe('runStep');
  });

  it('keeps watching a hold that has become another one', () => {
    const run = healing().rule(blocked('CCM2007')).on(changeSeen('changed'));
    expect(run.on(LOOKED).last.kind).toBe('awaitChange');
    expect(run.state.problems.holdReason?.findings[0].code).toBe('CCM2007');
  });

  it('observes once more before it goes on, because what it saw is old', () => {
    const run = member(does(), 9).stepping().rule(DONE).on(finished(), PARK);
    expect(run.on(granted()).last.kind).toBe('observe');
    expect(run.on(LOOKED).last).toEqual({ kind: 'soak', soakMs: 9000 });
  });

  it('takes no fence when its guard is lost, and takes one with its grant', () => {
    const run = healing().on({ kind: 'guardEnded', why: 'lost' });
    expect(run.last.kind).toBe('awaitChange');
    expect(run.state.pending.fence).toBe(true);
    expect(run.on(granted()).last.kind).toBe('takeFence');
  });

  it('is held by a breach that comes while it waits for its slot, and repairs nothing', () => {
    const run = member(does(), 9).stepping().rule(DONE).on(finished(), PARK);
    run.on({ kind: 'guardBreach', verdict: verdict() });
    expect(run.last.kind).toBe('awaitCommand');
    expect(run.state.problems.holdReason).toMatchObject({ kind: 'gates', whoActs: 'person' });
    expect(run.on(granted()).last).toMatchObject({ kind: 'takeFence', acknowledge: true });
    expect(run.on(FENCED).last).toEqual({ kind: 'soak', soakMs: 0 });
  });

  it('turns without another grant when its fleet turns it', () => {
    const run = healing().on(turned('kcm', 2));
    expect(run.last.kind).toBe('takeFence');
    expect(run.state).toMatchObject({
      direction: { target: 'kcm', requestedBy: BY },
      membership: { slot: 'held', of: { grant: 2 }, turnedByPerson: true },
    });
  });

  it('takes its target from the grant where the fleet has changed it', () => {
    const run = healing().on(granted(2, 'kcm'));
    expect(run.last.kind).toBe('takeFence');
    expect(run.state.direction.target).toBe('kcm');
  });

  it('keeps the target that a person gave it, whatever its fleet believes', () => {
    const run = healing().on(command('rollBack'));
    expect(run.state.membership).toMatchObject({ slot: 'held', turnedByPerson: true });
    expect(run.last.kind).toBe('takeFence');
    expect(run.on(granted(2, 'ccm')).state.direction.target).toBe('kcm');
  });

  it('tells the person who rolls it back that it waits for no slot, and rolls forward with one only', () => {
    const run = healing();
    const back = command('rollBack');
    run.on(back);
    expect(run.answer(back)).toBe(
      'applied: the target is KCM now; it does not wait for a slot of its fleet',
    );
    const forward = command('rollForward');
    run.on(PARK, forward);
    expect(run.answer(forward)).toBe(
      'applied: the target is CCM now; the run stays parked until its fleet gives it a slot',
    );
    expect(run.last).toEqual({ kind: 'awaitCommand' });
  });

  it('is retried by a person only with a slot', () => {
    const run = member().stepping().on(failed('ForeignEdit'), FENCED, LOOKED, PARK);
    const retry = command('retry');
    expect(run.on(retry).last).toEqual({ kind: 'awaitCommand' });
    expect(run.answer(retry)).toBe('applied: retrying as soon as its fleet gives it a slot');
    expect(run.on(granted()).last).toMatchObject({ kind: 'takeFence', acknowledge: true });
  });

  it('still waits for its approval after a grant', () => {
    const step = does('externalizeKcm', { phase: 'replaceNodes' });
    const run = new GivenRun([step], { handoverApproval: 'required' }, MEMBER).stepping().on(PARK);
    expect(run.on(granted()).last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason?.kind).toBe('approval');
  });

  it('finishes a manifest that was cut off before it gives its slot back', () => {
    const run = member().stepping().on(PARK, failed('Timeout'), FENCED);
    expect(run.rule(does('finishManifest')).on(LOOKED).last).toMatchObject({
      kind: 'runStep',
      planned: { recovers: true },
    });
    expect(run.state.membership.slot).toBe('held');
    expect(run.rule(does()).on(finished()).last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.membership.slot).toBe('givenBack');
  });

  it('waits for a guard only as long as a fence shows it', () => {
    const run = member().stepping();
    run.on(failed('NoWorker', { neverRan: true }), PARK);
    expect(run.last.kind).toBe('observe');
    const unguarded: GivenEvent = (each) => ({
      kind: 'observed',
      observed: { ...each.observed(), guarded: false },
    });
    expect(run.on(unguarded).last).toMatchObject({
      kind: 'awaitChange',
      goal: { kind: 'guarded' },
    });
    run.on({ kind: 'guardEnded', why: 'lost' });
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason).toBeNull();
  });
});
