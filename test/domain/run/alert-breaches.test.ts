import { describe, expect, it } from '@jest/globals';
import type { MigrationPolicy } from '../../../domain/policy.js';
import type { Yields } from '../../../domain/run/queued-command.js';
import { runStatus } from '../../../domain/run/run-status.js';
import type { RunEvent } from '../../../domain/run/run-state.js';
import {
  ALERT,
  ALERT_BRAKE,
  blocked,
  braked,
  changeSeen,
  command,
  does,
  failed,
  FENCED,
  finished,
  GivenRun,
  LOOKED,
  MEMBER,
  PARK,
  verdict,
} from './given-run.js';

function alert(yields: Yields = 'toPolicy'): RunEvent {
  return { ...command('pause', ALERT), yields };
}

function breach(changes: Parameters<typeof verdict>[0] = {}): RunEvent {
  return { kind: 'guardBreach', verdict: verdict(changes) };
}

const AT_ONCE = { onBreach: 'rollBack' } as const;
const IN_TIME = { onBreach: { holdThenRollBackMs: 9_000 } } as const;

/** In its first step forward. */
function stepping(policy: Partial<MigrationPolicy>): GivenRun {
  return new GivenRun([does()], policy, MEMBER).stepping();
}

function paused(policy: Partial<MigrationPolicy>, by = alert()): GivenRun {
  const run = stepping(policy).on(by, finished());
  expect(run.last).toEqual({ kind: 'awaitCommand' });
  return run;
}

function expectTurned(run: GivenRun): void {
  expect(run.last).toMatchObject({ kind: 'takeFence', acknowledge: true });
  expect(run.state.direction).toMatchObject({
    ...{ target: 'kcm', requestedBy: { actor: 'policy onBreach' } },
  });
  expect(runStatus(run.state)).toMatchObject({ pause: 'none', alertPause: { holds: false } });
}

function expectHeld(run: GivenRun): void {
  expect(run.state).toMatchObject({ direction: { target: 'ccm' }, inFlight: { kind: 'held' } });
  expect(runStatus(run.state)).toMatchObject({ pause: 'paused' });
}

describe('a policy that rolls back at once', () => {
  it.each([
    ['the run', alert()],
    ['its fleet', ALERT_BRAKE],
  ])('does so where an alert has paused %s', (_what, by) => {
    expectTurned(paused(AT_ONCE, by).on(breach()));
  });

  it('does so where the alert comes while the step is in flight that fails', () => {
    const gates = stepping(AT_ONCE).on(alert(), finished([verdict()]));
    expectTurned(gates);
    const cutOff = stepping(AT_ONCE).on(alert(), breach(), failed('Breach'));
    expect(cutOff.last).toMatchObject({ kind: 'takeFence' });
    expectTurned(cutOff.on(FENCED, LOOKED));
  });

  it('does so by what the cluster is now, where it was about to be observed', () => {
    const run = stepping(AT_ONCE).on(command('pause'), finished(), command('resume'));
    run.on(breach(), alert());
    expect(run.last).toEqual({ kind: 'observe', patient: true });
    expectTurned(run.on(LOOKED));
  });

  it('does so where the rules were blocked before', () => {
    const run = stepping(AT_ONCE).rule(blocked()).on(finished(), alert());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expectTurned(run.on(breach()));
  });

  it.each<[string, (run: GivenRun) => GivenRun]>([
    ['a person has paused the run', (run) => run.on(command('pause', { actor: 'ana' }))],
    ['a person has paused its fleet', (run) => run.on(braked())],
    ['it is parked', (run) => run.on(PARK)],
  ])('does not where %s, too', (_why, also) => {
    expectHeld(also(paused(AT_ONCE)).on(breach()));
  });

  it.each<[string, RunEvent]>([
    ['could not be measured', breach({ verdict: 'error' })],
    ['is no harm of the run', breach({ code: 'CCM3015' })],
  ])('does not for what %s', (_why, event) => {
    expectHeld(paused(AT_ONCE).on(event));
  });

  it('does not where a person must decide anyway, or the next step is the cure', () => {
    const asked = stepping(AT_ONCE).on(alert(), failed('Forbidden'), FENCED, LOOKED);
    expect(asked.state.problems.holdReason).toMatchObject({ whoActs: 'person' });
    expectHeld(asked.on(breach()));
    const cure = does('stopSecondOwner', { phase: 'repair', cures: ['CCM3001'] });
    const run = stepping(AT_ONCE).rule(cure).on(alert(), finished());
    expectHeld(run.on(breach()));
  });

  it('does not where a run of an older build was paused', () => {
    const run = paused(AT_ONCE, alert(true));
    expect(run.on(breach()).last).toEqual({ kind: 'continue' });
    expectHeld(run);
  });
});

describe('a policy that holds', () => {
  it('leaves the run paused, without another look', () => {
    const run = paused({ onBreach: 'hold' });
    expect(run.on(breach()).last).toEqual({ kind: 'awaitCommand' });
    expectHeld(run);
    const looking = stepping({ onBreach: 'hold' });
    looking.on(command('pause'), finished(), command('resume'), breach(), alert());
    expect(looking.last).toEqual({ kind: 'awaitCommand' });
    expectHeld(looking);
  });
});

describe('a policy that rolls back in time', () => {
  it('begins its time where an alert has paused the run, and watches whether the cause passes', () => {
    const run = paused(IN_TIME).on(breach({ code: 'CCM3002' }));
    run.timed(1_000);
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'healed' } });
    expectHeld(run);
    expect(runStatus(run.state).rollsBackAtMs).toBe(10_000);
    expectTurned(run.on({ kind: 'turnDue', sinceMs: 1_000 }));
  });

  it.each<[string, (run: GivenRun) => GivenRun]>([
    ['before', (run) => run.on(alert(), finished([verdict({ code: 'CCM3002' })]))],
    ['after', (run) => run.on(finished([verdict({ code: 'CCM3002' })]), alert())],
  ])('gives it up where the cause passes, and the alert that came %s holds on', (_when, pauses) => {
    const run = pauses(stepping(IN_TIME)).timed(1_000);
    expect(run.last).toMatchObject({ kind: 'awaitChange' });
    run.on(changeSeen('healed'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expectHeld(run);
    expect(runStatus(run.state).rollsBackAtMs).toBeUndefined();
    expect(run.on({ kind: 'turnDue', sinceMs: 1_000 }).last).toEqual({ kind: 'continue' });
  });

  it('keeps its time while more fails', () => {
    const run = paused(IN_TIME)
      .on(breach({ code: 'CCM3002' }))
      .timed(1_000);
    run.on(breach({ code: 'CCM3003' })).timed(5_000);
    expect(runStatus(run.state).rollsBackAtMs).toBe(10_000);
    expectHeld(run);
  });

  it('waits for a person where one pauses the run, too', () => {
    const run = paused(IN_TIME)
      .on(breach({ code: 'CCM3002' }))
      .timed(1_000);
    run.on(command('pause', { actor: 'ana' }));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(runStatus(run.state).rollsBackAtMs).toBeUndefined();
  });

  it('changes nothing of how a run goes on that an older build paused', () => {
    const run = stepping(IN_TIME).on(finished([verdict({ code: 'CCM3002' })]), alert(true));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
  });
});
