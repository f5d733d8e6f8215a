import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '../../../domain/run/run-state.js';
import {
  blocked,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  GivenRun,
  LOOKED,
  observed,
  PASS,
  soaked,
  CHECKED,
  STARTED,
  verdict,
} from './given-run.js';

const TWO_OWNERS = verdict();

describe('failures of steps', () => {
  it('after a failed step the run re-acquires the fence, observes, and repeats it a bounded number of times', () => {
    const run = new GivenRun([does()]).stepping();
    for (let attempts = 1; attempts < 4; attempts += 1) {
      expect(run.on(failed('Timeout')).last).toMatchObject({ kind: 'takeFence' });
      expect(run.on(FENCED).last).toMatchObject({ kind: 'observe' });
      expect(run.on(LOOKED).last).toMatchObject({ kind: 'runStep' });
    }
    run.on(failed('Timeout'), FENCED, LOOKED);
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'healed', codes: [] } });
    expect(run.state.problems.holdReason).toMatchObject({
      kind: 'repeats',
      findings: [{ code: 'CCM4101', seen: '4 attempts; Timeout: it failed' }],
    });
    expect(run.on(command('retry'), FENCED, LOOKED).last).toMatchObject({ kind: 'runStep' });
  });

  it('failures of a step count even if observations differ in between', () => {
    const run = new GivenRun([does()]).stepping();
    for (let version = 1; version <= 4; version += 1) {
      run.on(failed('Conflict'), FENCED, observed(version));
    }
    expect(run.state.problems.holdReason?.kind).toBe('repeats');
  });

  it('a step that succeeds without changing anything is not repeated for ever', () => {
    const run = new GivenRun([does()])
      .stepping()
      .on(finished(), finished(), finished(), finished());
    expect(run.state.problems.holdReason?.findings[0].seen).toBe(
      '4 attempts; the same step was due again after each',
    );
    expect(run.last).toEqual({ kind: 'awaitCommand' });
  });

  it.each(['FenceLost', 'PreconditionFailed', 'Throttled'] as const)(
    '%s needs no operator: the run observes and continues',
    (type) => {
      const run = new GivenRun([does()]).stepping().on(failed(type), FENCED, LOOKED);
      expect(run.last).toMatchObject({ kind: 'runStep' });
    },
  );

  it.each([
    ['ForeignEdit', 'CCM4006', 'awaitCommand'],
    ['NoProof', 'CCM4007', 'awaitChange'],
    ['EffectNotSeen', 'CCM4008', 'awaitChange'],
    ['Forbidden', 'CCM4009', 'awaitCommand'],
    ['Unauthorized', 'CCM4016', 'awaitCommand'],
    ['InvalidInput', 'CCM5003', 'awaitCommand'],
    ['NotSupported', 'CCM4012', 'awaitCommand'],
    ['Bug', 'CCM4013', 'awaitCommand'],
  ] as const)('%s holds with %s under guard and fence: %s', (type, code, command) => {
    const run = new GivenRun([does()]).stepping().on(failed(type), FENCED, LOOKED);
    expect(run.last.kind).toEqual(command);
    expect(run.state.problems.holdReason).toMatchObject({ kind: 'failure', findings: [{ code }] });
  });

  it.each([
    ['Breach', 'CCM4023'],
    ['GateFailed', 'CCM4103'],
  ] as const)('a %s failure was measured, so the policy decides', (type, code) => {
    const held = new GivenRun([does()]).stepping().on(failed(type), FENCED, LOOKED);
    expect(held.state.problems.holdReason).toMatchObject({ kind: 'gates', findings: [{ code }] });
    const back = new GivenRun([does()], { onBreach: 'rollBack' }).stepping();
    back.on(failed(type), FENCED, LOOKED);
    expect(back.state.direction.target).toBe('kcm');
  });

  it('a breach that stopped a step is reported once, and its repair may run', () => {
    const breach: RunEvent = { kind: 'guardBreach', verdict: TWO_OWNERS };
    const told = new GivenRun([does()]).stepping().on(breach, failed('Breach'));
    expect(told.state.problems.breaches).toEqual([TWO_OWNERS]);
    const repair = does('stopSecondOwner', { phase: 'repair', cures: ['CCM3001'] });
    const run = new GivenRun([does()]).stepping().rule(repair).on(failed('Breach'), FENCED, LOOKED);
    expect(run.last).toMatchObject({
      kind: 'runStep',
      planned: { step: { name: 'stopSecondOwner' } },
    });
  });

  it.each(['AlreadyRunning', 'ClusterMismatch'] as const)(
    '%s ends the run with the state of the cluster after one more observation',
    (type) => {
      const run = new GivenRun([does()]).stepping().on(failed(type));
      expect(run.last).toMatchObject({ kind: 'takeFence', patient: false });
      expect(run.on(FENCED).last).toMatchObject({ kind: 'observe', patient: false });
      run.on(LOOKED);
      expect(run.last).toMatchObject({
        kind: 'finish',
        outcome: {
          kind: 'failed',
          failureType: type,
          clusterState: expect.stringContaining('cp-1: KCM'),
        },
      });
    },
  );

  it('a run ends with its failure even when that observation fails too', () => {
    const run = new GivenRun([does()]).stepping();
    run.on(failed('ClusterMismatch'), failed('Unreachable'));
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'failed', failureType: 'ClusterMismatch' },
    });
  });

  it('a mistake of ours before the first change ends the run', () => {
    const run = new GivenRun([does()]).on(STARTED, failed('Bug'));
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'failed', failureType: 'Bug' },
    });
  });

  it('a run restores a manifest before it holds or pauses, a bounded number of times', () => {
    const away = does('finishManifest');
    const run = new GivenRun([does()]).stepping().on(command('pause')).rule(away);
    run.on(failed('EffectNotSeen'), FENCED, LOOKED);
    expect(run.last).toMatchObject({
      kind: 'runStep',
      planned: { step: { name: 'finishManifest' } },
    });
    run.rule(does()).on(finished());
    expect(run.state.operatorHold.kind).toBe('pause');
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason?.kind).toBe('failure');

    const stuck = new GivenRun([does()])
      .stepping()
      .rule(away)
      .on(failed('EffectNotSeen'), FENCED, LOOKED);
    for (let attempts = 0; attempts < 4; attempts += 1) stuck.on(failed('Timeout'), FENCED, LOOKED);
    expect(stuck.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'healed' } });
  });
});

describe('failures of reads', () => {
  it.each([
    ['Unreachable', 'awaitChange'],
    ['Forbidden', 'awaitCommand'],
  ] as const)('%s in an observation holds, and retry observes again', (type, kind) => {
    const run = new GivenRun([does()]).on(STARTED, CHECKED, FENCED, failed(type));
    expect(run.last.kind).toBe(kind);
    expect(run.on(command('retry'), FENCED).last).toMatchObject({ kind: 'observe' });
  });

  it('a fence that another run holds refuses a run that has done nothing', () => {
    const run = new GivenRun([does()]).on(STARTED, CHECKED, failed('AlreadyRunning'));
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: {
        kind: 'refused',
        failureType: 'AlreadyRunning',
        clusterState: 'the cluster was not observed and nothing was changed',
        findings: [{ code: 'CCM4003', subject: 'fence Lease kube-system/ccm-migrate' }],
      },
    });
  });

  it('a run fails when another run took its fence in the middle', () => {
    const run = new GivenRun([does()]).stepping().on(failed('FenceLost'), failed('AlreadyRunning'));
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'failed' } });
  });

  it.each([
    ['a soak', [finished(), failed()], 'gates'],
    ['a wait', [finished([PASS], 9), failed()], 'gates'],
  ] as const)('the run holds when %s fails', (_what, events, subject) => {
    const run = new GivenRun([does()], { soakSeconds: 5 })
      .stepping()
      .rule(DONE)
      .on(...events);
    expect(run.state.problems.holdReason).toMatchObject({
      kind: 'failure',
      findings: [{ subject }],
    });
  });

  it('a run that may not wait for a change holds for the operator', () => {
    const run = new GivenRun([blocked()]).stepping().on(failed('Forbidden'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason?.findings[0].subject).toBe('observation of the cluster');
  });
});

describe('a soak whose fence expired while no guard renewed it', () => {
  const soaking = (): GivenRun =>
    new GivenRun([does()], { soakSeconds: 60 }).stepping().rule(DONE).on(finished());

  it('begins again under a re-acquired fence, without the operator', () => {
    const run = soaking().on(failed('FenceLost'));
    expect(run.last).toMatchObject({ kind: 'takeFence' });
    expect(run.on(FENCED).last).toMatchObject({ kind: 'observe' });
    expect(run.on(LOOKED).last).toEqual({ kind: 'soak', soakMs: 60_000 });
    expect(run.on(soaked()).last).toMatchObject({
      kind: 'runStep',
      planned: { step: { name: 'verify' } },
    });
  });

  it('is given up after the fourth time in a row', () => {
    const run = soaking();
    for (let lost = 1; lost < 4; lost += 1) run.on(failed('FenceLost'), FENCED, LOOKED);
    expect(run.last).toEqual({ kind: 'soak', soakMs: 60_000 });
    expect(run.on(failed('FenceLost'), FENCED, LOOKED).state.problems.holdReason?.kind).toBe(
      'failure',
    );
  });
});
