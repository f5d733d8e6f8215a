import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '../../../domain/advance/run-state.js';
import {
  blocked,
  changeSeen,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  GivenRun,
  looked,
  LOOKED,
  CHECKED,
  STARTED,
  verdict,
} from './given-run.js';

const TWO_OWNERS = verdict();

describe('breaches that the guard reports', () => {
  const breach: RunEvent = { kind: 'guardBreach', verdict: TWO_OWNERS };

  it('hold after the step in flight, told once', () => {
    const run = new GivenRun([does()]).stepping().on(breach, breach);
    expect(run.last).toEqual({ kind: 'continue' });
    expect(run.state.breaches).toHaveLength(1);
    expect(run.on(finished()).last).toEqual({ kind: 'awaitCommand' });
  });

  it('leave a hold that waits for a person as it is', () => {
    const away = does('externalizeKcm', { phase: 'replaceNodes' });
    const asking = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const foreign = new GivenRun([does()]).stepping().on(failed('ForeignEdit'), FENCED, LOOKED);
    for (const run of [asking, foreign]) expect(run.on(breach).last).toEqual({ kind: 'continue' });
  });

  it('while the run rests before another attempt are noted', () => {
    const never = failed('NoWorker', { neverRan: true });
    const run = new GivenRun([does()]).stepping().on(never, LOOKED, never, breach);
    expect(run.last).toMatchObject({ kind: 'rest' });
    expect(run.state.breaches).toEqual([TWO_OWNERS]);
  });

  it('end a soak at once', () => {
    const run = new GivenRun([does()], { soakSeconds: 5 }).stepping().rule(DONE).on(finished());
    expect(run.on(breach).last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.trouble?.kind).toBe('gates');
  });

  it('turn a blocked hold around when policy says so', () => {
    const run = new GivenRun([blocked()], { onBreach: 'rollBack' }).stepping().on(breach);
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
    expect(run.state.mandate.actor).toBe('policy onBreach');
  });

  it('change nothing while paused, and hold on resume', () => {
    const run = new GivenRun([blocked()]).stepping().on(command('pause'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(breach).last).toEqual({ kind: 'continue' });
    run.rule(does()).on(command('resume'), LOOKED);
    expect(run.state.trouble?.kind).toBe('gates');
  });

  it('are left to the step in flight that cures them, and to the fence taken anew after it', () => {
    const cure = does('stopSecondOwner', { cures: ['CCM3001'], phase: 'repair' });
    const run = new GivenRun([cure]).stepping().on(breach);
    expect(run.state.breaches).toEqual([]);
    expect(run.rule(does()).on(finished()).last).toMatchObject({ kind: 'takeFence', fence: 2 });
    expect(run.on(FENCED).last).toMatchObject({ kind: 'runStep' });
  });

  it('that came before their cure are gone with it, and so is the fence they stand in', () => {
    const cure = does('stopSecondOwner', { cures: ['CCM3001'], phase: 'repair' });
    const run = new GivenRun([cure]).on(STARTED, CHECKED, FENCED, breach, LOOKED);
    expect(run.last).toMatchObject({ kind: 'runStep' });
    run.rule(does()).on(finished());
    expect(run.state.breaches).toEqual([]);
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
  });

  it('come too late once the run has ended', () => {
    const run = new GivenRun([DONE]).stepping().on(breach, { kind: 'guardEnded', why: 'late' });
    expect(run.last).toEqual({ kind: 'continue' });
    expect(run.state.breaches).toEqual([]);
  });
});

describe('a guard that ended', () => {
  const ended: RunEvent = { kind: 'guardEnded', why: 'fenceLost' };

  it('makes the run take the fence anew, which starts another one', () => {
    const run = new GivenRun([does()]).stepping().on(ended);
    expect(run.last).toEqual({ kind: 'continue' });
    expect(run.on(finished()).last).toMatchObject({ kind: 'takeFence', fence: 2 });
  });

  it('does so from a blocked hold at once', () => {
    const run = new GivenRun([blocked()]).stepping().on(ended);
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
  });

  it('holds the run after three times, until guards stay', () => {
    const run = new GivenRun([blocked()]).stepping();
    run.on(ended, FENCED, ended, FENCED, ended, FENCED, ended);
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'healed' } });
    expect(run.state.trouble?.findings[0].code).toBe('CCM4104');
    run.on(command('retry'));
    expect(run.last).toMatchObject({ kind: 'takeFence' });
  });
});

describe('reports that nobody waits for', () => {
  it('change nothing', () => {
    const run = new GivenRun([blocked()]).stepping().on(finished());
    expect(run.state.steps).toEqual([]);
  });

  it('keep what a command with a bad shape is told', () => {
    const malformed: RunEvent = { kind: 'commandMalformed', commandId: 'm1', problem: 'no verb' };
    const run = new GivenRun([does()]).stepping().on(malformed, malformed);
    expect(run.state.answers['m1']).toEqual({ state: 'refused', detail: 'malformed: no verb' });
    run.on({ kind: 'commandMalformed', commandId: '', problem: 'no id' });
    expect(Object.keys(run.state.answers)).toEqual(['m1']);
  });
});

describe('the end of a run that changed something', () => {
  const ready = (): GivenRun => new GivenRun([does()]).stepping().rule(DONE).on(finished());

  it('comes only under a guard', () => {
    const run = ready();
    expect(run.last).toMatchObject({ kind: 'runStep', planned: { step: { name: 'verify' } } });
    run.on({ kind: 'guardEnded', why: 'gone' }, finished(), FENCED, looked(0, false));
    expect(run.state.trouble).toMatchObject({ kind: 'unserved', findings: [{ code: 'CCM4028' }] });
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'guarded' } });
    expect(run.on(changeSeen('guarded'), LOOKED).last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'done' },
    });
  });

  it('of which no guard reports is none: another one looks first, in an epoch of its own', () => {
    const run = ready().on(finished());
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'done' } });
    run.on({ kind: 'unvouched' });
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
    run.on({ kind: 'fenceTaken', epoch: 2 });
    expect(run.last).toMatchObject({ kind: 'observe' });
    expect(run.on(LOOKED).last).toMatchObject({ kind: 'finish', outcome: { kind: 'done' } });
  });
});
