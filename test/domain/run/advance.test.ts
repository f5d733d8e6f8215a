import { describe, expect, it } from '@jest/globals';
import {
  blocked,
  changeSeen,
  command,
  does,
  DONE,
  FENCED,
  finished,
  GivenRun,
  LOOKED,
  PASS,
  seenCluster,
  soaked,
  CHECKED,
  STARTED,
  verdict,
} from './given-run.js';

const TWO_OWNERS = verdict();
const VERIFIES = { kind: 'runStep', planned: { step: { name: 'verify' } } };

describe('the course of a run', () => {
  it('a run acquires the fence, observes, steps, verifies and finishes from the step’s own observation', () => {
    const run = new GivenRun([does()]).on(STARTED, CHECKED);
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 1 });
    expect(run.on(FENCED).last).toMatchObject({ kind: 'observe' });
    expect(run.on(LOOKED).last).toMatchObject({
      kind: 'runStep',
      planned: { step: { name: 'prepareCcm' } },
    });
    run.rule(DONE).on(finished());
    const since = seenCluster().inventory;
    expect(run.last).toMatchObject({
      kind: 'runStep',
      planned: { step: { effect: { kind: 'verify', since } } },
    });
    run.on(finished());
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'done', target: 'ccm', stepsDone: 2, orphanMs: 6, failureType: null },
    });
  });

  it('a run whose target is reached already finishes without a soak', () => {
    const run = new GivenRun([DONE], { soakSeconds: 60 }).stepping();
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'done', summary: 'there was nothing to do; asked by ana: go' },
    });
  });

  it('a run soaks once after its steps, and decides by what the soak observes', () => {
    const run = new GivenRun([does()], { soakSeconds: 60 }).stepping();
    expect(run.rule(DONE).on(finished()).last).toEqual({ kind: 'soak', soakMs: 60_000 });
    expect(run.on(soaked()).last).toMatchObject(VERIFIES);
    expect(run.on(finished()).last).toMatchObject({ kind: 'finish', outcome: { kind: 'done' } });
  });

  it('a run soaks and verifies before Leader Migration is switched off, and not again after it', () => {
    const off = does('disableLeaderMigration', { phase: 'disableLeaderMigration' });
    const run = new GivenRun([off], { soakSeconds: 60 }).stepping();
    expect(run.last).toEqual({ kind: 'soak', soakMs: 60_000 });
    expect(run.on(soaked()).last).toMatchObject(VERIFIES);
    expect(run.on(finished()).last).toMatchObject({
      kind: 'runStep',
      planned: { step: { name: 'disableLeaderMigration' } },
    });
    expect(run.rule(DONE).on(finished()).last).toMatchObject({ kind: 'finish' });
  });

  it.each([
    ['ccm', 'verify'],
    ['kcm', 'rollWorkers'],
  ] as const)('with target %s, the first step of workers that are due is %s', (target, name) => {
    const workers = does('rollWorkers', { phase: 'rollWorkers' });
    const run = new GivenRun([does()]).stepping().rule(workers);
    if (target === 'kcm') run.on(command('rollBack'), finished(), FENCED, LOOKED, CHECKED);
    else run.on(finished());
    expect(run.last).toMatchObject({ kind: 'runStep', planned: { step: { name } } });
  });

  it('a run holds where something was lost, until it is back or the operator skips it', () => {
    const lost = verdict({ hardness: 'soft', gate: 'addressesSurvived', code: 'CCM3009' });
    const losing = (): GivenRun =>
      new GivenRun([does()])
        .stepping()
        .rule(DONE)
        .on(finished(), finished([lost]));
    expect(losing().last).toEqual({ kind: 'awaitCommand' });
    const skipped = losing().on(command('skip', { arguments: { code: 'CCM3009' } }), LOOKED);
    expect(skipped.last).toMatchObject({ kind: 'finish', outcome: { kind: 'done' } });
    const retried = losing().on(command('retry'), FENCED, soaked());
    expect(retried.last).toMatchObject(VERIFIES);
  });

  it.each([
    ['CCM3009', { kind: 'takeFence' }],
    ['CCM3015', { kind: 'awaitCommand' }],
  ])('where policy rolls back, a comparison that fails with %s leads to %o', (code, next) => {
    const differs = verdict({ hardness: 'soft', gate: 'compared', code });
    const run = new GivenRun([does()], { onBreach: 'rollBack' }).stepping().rule(DONE);
    expect(run.on(finished(), finished([differs])).last).toMatchObject(next);
  });

  it('a run that reached kcm ends as rolledBack', () => {
    const run = new GivenRun([does()]).stepping();
    run.on(command('rollBack'), finished());
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
    run.rule(DONE).on(FENCED, LOOKED);
    expect(run.last).toMatchObject(VERIFIES);
    run.on(finished());
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: {
        kind: 'rolledBack',
        target: 'kcm',
        summary: expect.stringContaining('by ana: because'),
      },
    });
  });
});

describe('holds', () => {
  it('a run with no safe step waits for a change, longer each time, and continues by itself', () => {
    const run = new GivenRun([blocked()]).stepping();
    expect(run.last).toMatchObject({ kind: 'awaitChange', waitCount: 0 });
    expect(run.on(changeSeen()).last).toMatchObject({ kind: 'awaitChange', waitCount: 1 });
    expect(run.rule(does()).on(changeSeen()).last).toMatchObject({ kind: 'observe' });
    expect(run.on(LOOKED).last).toMatchObject({ kind: 'runStep' });
    expect(run.state.attempts.waits).toBe(0);
  });

  it.each([
    ['hold', 'ccm', { kind: 'awaitCommand' }],
    ['rollBack', 'kcm', { kind: 'takeFence', fence: 2 }],
  ] as const)(
    'a hard gate that fails after a step is handled as the policy %s says',
    (onBreach, target, expected) => {
      const run = new GivenRun([does()], { onBreach }).stepping().on(finished([PASS, TWO_OWNERS]));
      expect(run.last).toMatchObject(expected);
      expect(run.state.direction.target).toBe(target);
    },
  );

  it('a failed hard gate holds under policy rollBack too when the run is rolling back already', () => {
    const run = new GivenRun([does()], { onBreach: 'rollBack' }).stepping();
    run.on(command('rollBack'), finished(), FENCED, LOOKED, CHECKED, finished([TWO_OWNERS]));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.direction.target).toBe('kcm');
  });

  it('a run takes a step while exactly what it repairs fails', () => {
    const cure = does('stopSecondOwner', { cures: ['CCM3001'], phase: 'repair' });
    const run = new GivenRun([does()])
      .stepping()
      .rule(cure)
      .on(finished([TWO_OWNERS]));
    expect(run.last).toMatchObject({
      kind: 'runStep',
      planned: { step: { name: 'stopSecondOwner' } },
    });
    run.on(finished([TWO_OWNERS, verdict({ gate: 'quorum', code: 'CCM3003' })]));
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { codes: ['CCM3003'] } });
  });

  it('a gate without a measurement does not pass', () => {
    const run = new GivenRun([does()]).stepping().on(finished([]));
    expect(run.state.problems.holdReason).toMatchObject({
      kind: 'gates',
      findings: [{ code: 'CCM3012' }],
    });
  });

  it('a gate with an unknown code is shown as not passed', () => {
    const run = new GivenRun([does()]).stepping().on(finished([verdict({ code: 'X1' })]));
    expect(run.state.problems.holdReason?.findings[0].code).toBe('CCM4103');
  });

  it('retry measures again, and soaks again after a failed soak', () => {
    const soft = verdict({ hardness: 'soft', gate: 'errors', code: 'CCM3012' });
    const run = new GivenRun([does()], { soakSeconds: 5 }).stepping().rule(DONE);
    run.on(finished(), soaked([soft]));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    run.on(command('retry'));
    expect(run.last).toMatchObject({ kind: 'takeFence', fence: 2 });
    expect(run.on(FENCED).last).toEqual({ kind: 'soak', soakMs: 0 });
    expect(run.on(soaked()).last).toEqual({ kind: 'soak', soakMs: 5000 });
    expect(run.on(soaked()).last).toMatchObject(VERIFIES);
    expect(run.on(finished()).last).toMatchObject({ kind: 'finish' });
  });

  it('a run asks for approval of the handover once per direction, and never delays a repair', () => {
    const away = does('externalizeKcm', { phase: 'replaceNodes' });
    const run = new GivenRun([does('removeMachine', { phase: 'repair' })], {
      handoverApproval: 'required',
    }).stepping();
    expect(run.last).toMatchObject({ kind: 'runStep' });
    expect(run.rule(away).on(finished()).last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason).toMatchObject({ kind: 'approval', what: 'handover' });
    expect(run.on(command('approve', { actor: 'bo' }), LOOKED).last).toMatchObject({
      kind: 'runStep',
    });
    expect(run.on(finished([PASS], 1)).last).toMatchObject({ kind: 'runStep' });
    run.on(command('rollBack'), finished([PASS], 2), FENCED, LOOKED, CHECKED);
    expect(run.last).toMatchObject({ kind: 'runStep' });
  });
});

it.each([
  ['removeMachine', 'approval'],
  ['externalizeKcm', 'approval'],
  ['enableLeaderMigration', undefined],
] as const)('an approval is required only for steps of the handover: %s', (name, holdReason) => {
  const run = new GivenRun([does(name, { phase: 'replaceNodes' })], {
    handoverApproval: 'required',
  }).stepping();
  expect(run.state.problems.holdReason?.kind).toBe(holdReason);
});
