import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '../../../domain/run/run-state.js';
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
  observed,
  LOOKED,
  CHECKED,
  STARTED,
  verdict,
} from './given-run.js';

const TWO_OWNERS = verdict();

describe('breaches that the guard reports', () => {
  const breach: RunEvent = { kind: 'guardBreach', verdict: TWO_OWNERS };

  it('breaches that the guard reports hold the run after the step in flight, and are reported once', () => {
    const run = new GivenRun([does()]).stepping().on(breach, breach);
    expect(run.last).toEqual({ kind: 'continue' });
    expect(run.state.problems.breaches).toHaveLength(1);
    expect(run.on(finished()).last).toEqual({ kind: 'awaitCommand' });
  });

  it('breaches do not change a hold that waits for the operator', () => {
    const away = does('externalizeKcm', { phase: 'replaceNodes' });
    const asking = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const foreign = new GivenRun([does()]).stepping().on(failed('ForeignEdit'), FENCED, LOOKED);
    for (const run of [asking, foreign]) expect(run.on(breach).last).toEqual({ kind: 'continue' });
  });

  it('breaches while the run waits before another attempt are recorded', () => {
    const never = failed('NoWorker', { neverRan: true });
    const run = new GivenRun([does()]).stepping().on(never, LOOKED, never, breach);
    expect(run.last).toMatchObject({ kind: 'rest' });
    expect(run.state.problems.breaches).toEqual([TWO_OWNERS]);
  });

  it('breaches end a soak at once', () => {
    const run = new GivenRun([does()], { soakSeconds: 5 }).stepping().rule(DONE).on(finished());
    expect(run.on(breach).last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason?.kind).toBe('gates');
  });

  it('breaches roll back a blocked run when policy says so', () => {
    const run = new GivenRun([blocked()], { onBreach: 'rollBack' }).stepping().on(breach);
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
    expect(run.state.direction.requestedBy.actor).toBe('policy onBreach');
  });

  it('a rollback is held by hard gates alone: soft ones it cures, or did not cause', () => {
    const turned = new GivenRun([blocked()], { onBreach: 'rollBack' }).stepping().on(breach);
    expect(turned.state.direction.target).toBe('kcm');
    const soft = verdict({ gate: 'cloudSight', hardness: 'soft', code: 'CCM3105' });
    const late = turned.on({ kind: 'guardBreach', verdict: soft });
    expect(late.state.problems.breaches).toEqual([]);
    const hard = verdict({ gate: 'quorum', code: 'CCM3003' });
    expect(late.on({ kind: 'guardBreach', verdict: hard }).state.problems.breaches).toEqual([hard]);
  });

  it('breaches change nothing while paused, and hold on resume', () => {
    const run = new GivenRun([blocked()]).stepping().on(command('pause'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(breach).last).toEqual({ kind: 'continue' });
    run.rule(does()).on(command('resume'), LOOKED);
    expect(run.state.problems.holdReason?.kind).toBe('gates');
  });

  it('breaches are left to the step in flight that repairs them, and to the fence re-acquired after it', () => {
    const cure = does('stopSecondOwner', { cures: ['CCM3001'], phase: 'repair' });
    const run = new GivenRun([cure]).stepping().on(breach);
    expect(run.state.problems.breaches).toEqual([]);
    expect(run.rule(does()).on(finished()).last).toMatchObject({ kind: 'takeFence', fence: 2 });
    expect(run.on(FENCED).last).toMatchObject({ kind: 'runStep' });
  });

  it('breaches reported before their repair end with it, and so does the fence that records them', () => {
    const cure = does('stopSecondOwner', { cures: ['CCM3001'], phase: 'repair' });
    const run = new GivenRun([cure]).on(STARTED, CHECKED, FENCED, breach, LOOKED);
    expect(run.last).toMatchObject({ kind: 'runStep' });
    run.rule(does()).on(finished());
    expect(run.state.problems.breaches).toEqual([]);
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
  });

  it('breaches are ignored once the run has ended', () => {
    const run = new GivenRun([DONE]).stepping().on(breach, { kind: 'guardEnded', why: 'late' });
    expect(run.last).toEqual({ kind: 'continue' });
    expect(run.state.problems.breaches).toEqual([]);
  });
});

describe('a guard that ended', () => {
  const ended: RunEvent = { kind: 'guardEnded', why: 'fenceLost' };

  it('a guard that ended makes the run re-acquire the fence, which starts another one', () => {
    const run = new GivenRun([does()]).stepping().on(ended);
    expect(run.last).toEqual({ kind: 'continue' });
    expect(run.on(finished()).last).toMatchObject({ kind: 'takeFence', fence: 2 });
  });

  it('a guard that ended is replaced from a blocked hold at once', () => {
    const run = new GivenRun([blocked()]).stepping().on(ended);
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
  });

  it('a guard that ended three times holds the run, until guards stay', () => {
    const run = new GivenRun([blocked()]).stepping();
    run.on(ended, FENCED, ended, FENCED, ended, FENCED, ended);
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'healed' } });
    expect(run.state.problems.holdReason?.findings[0].code).toBe('CCM4104');
    run.on(command('retry'));
    expect(run.last).toMatchObject({ kind: 'takeFence' });
  });
});

describe('unexpected reports', () => {
  it('an unexpected report changes nothing', () => {
    const run = new GivenRun([blocked()]).stepping().on(finished());
    expect(run.state.done.steps).toEqual([]);
  });

  it('an unexpected report does not change the answer to a malformed command', () => {
    const malformed: RunEvent = { kind: 'commandMalformed', commandId: 'm1', problem: 'no verb' };
    const run = new GivenRun([does()]).stepping().on(malformed, malformed);
    expect(run.state.commands.answers['m1']).toEqual({
      state: 'refused',
      detail: 'malformed: no verb',
    });
    run.on({ kind: 'commandMalformed', commandId: '', problem: 'no id' });
    expect(Object.keys(run.state.commands.answers)).toEqual(['m1']);
  });
});

describe('the end of a run that changed something', () => {
  const ready = (): GivenRun => new GivenRun([does()]).stepping().rule(DONE).on(finished());

  it('a run that changed something ends only under a guard', () => {
    const run = ready();
    expect(run.last).toMatchObject({ kind: 'runStep', planned: { step: { name: 'verify' } } });
    run.on({ kind: 'guardEnded', why: 'gone' }, finished(), FENCED, observed(0, false));
    expect(run.state.problems.holdReason).toMatchObject({
      kind: 'unserved',
      findings: [{ code: 'CCM4028' }],
    });
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'guarded' } });
    expect(run.on(changeSeen('guarded'), LOOKED).last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'done' },
    });
  });

  it("an end without a guard's report does not count: another guard observes first, in a new epoch", () => {
    const run = ready().on(finished());
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'done' } });
    run.on({ kind: 'guardSilent' });
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
    run.on({ kind: 'fenceTaken', epoch: 2 });
    expect(run.last).toMatchObject({ kind: 'observe' });
    expect(run.on(LOOKED).last).toMatchObject({ kind: 'finish', outcome: { kind: 'done' } });
  });
});
