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
  LOOKED,
  PASS,
  soaked,
  verdict,
} from './given-run.js';

const STARTED: RunEvent = { kind: 'started' };
const TWO_OWNERS = verdict();

describe('the way of a run', () => {
  it('takes the fence, looks, steps and finishes from the step’s own look', () => {
    const run = new GivenRun([does()]).on(STARTED);
    expect(run.last).toEqual({ kind: 'takeFence', fence: 1 });
    expect(run.on(FENCED).last).toEqual({ kind: 'observe' });
    expect(run.on(LOOKED).last).toMatchObject({ kind: 'runStep', step: { name: 'prepareCcm' } });
    run.rule(DONE).on(finished());
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'done', target: 'ccm', stepsDone: 1, orphanMs: 3, failureType: null },
    });
  });

  it('has nothing to do without a soak where the target is reached already', () => {
    const run = new GivenRun([DONE], { soakSeconds: 60 }).stepping();
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'done', summary: 'there was nothing to do; asked by ana: go' },
    });
  });

  it('soaks once after its steps, and what it sees is what it decides by', () => {
    const run = new GivenRun([does()], { soakSeconds: 60 }).stepping();
    expect(run.rule(DONE).on(finished()).last).toEqual({ kind: 'soak', soakMs: 60_000 });
    expect(run.on(soaked()).last).toMatchObject({ kind: 'finish', outcome: { kind: 'done' } });
  });

  it('soaks before Leader Migration is switched off, and not again after it', () => {
    const off = does('disableLeaderMigration', { phase: 'disableLeaderMigration' });
    const run = new GivenRun([off], { soakSeconds: 60 }).stepping();
    expect(run.last).toEqual({ kind: 'soak', soakMs: 60_000 });
    expect(run.on(soaked()).last).toMatchObject({ kind: 'runStep' });
    expect(run.rule(DONE).on(finished()).last).toMatchObject({ kind: 'finish' });
  });

  it('says rolledBack when it reached kcm', () => {
    const run = new GivenRun([does()]).stepping();
    run.on(command('rollBack'), finished());
    expect(run.last).toEqual({ kind: 'takeFence', fence: 2 });
    run.rule(DONE).on(FENCED, LOOKED);
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
  it('awaits a change while the rules see no safe step, longer each time, and goes on by itself', () => {
    const run = new GivenRun([blocked()]).stepping();
    expect(run.last).toMatchObject({ kind: 'awaitChange', waits: 0 });
    expect(run.on(changeSeen()).last).toMatchObject({ kind: 'awaitChange', waits: 1 });
    expect(run.rule(does()).on(changeSeen(2)).last).toMatchObject({ kind: 'runStep' });
    expect(run.state.waits).toBe(0);
  });

  it.each([
    ['hold', 'ccm', { kind: 'awaitCommand' }],
    ['rollBack', 'kcm', { kind: 'takeFence', fence: 2 }],
  ] as const)('a hard gate that fails after a step: policy %s', (onBreach, target, expected) => {
    const run = new GivenRun([does()], { onBreach }).stepping().on(finished([PASS, TWO_OWNERS]));
    expect(run.last).toEqual(expected);
    expect(run.state.target).toBe(target);
  });

  it('holds under policy rollBack too when it is rolling back already', () => {
    const run = new GivenRun([does()], { onBreach: 'rollBack' }).stepping();
    run.on(command('rollBack'), finished(), FENCED, LOOKED, finished([TWO_OWNERS]));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.target).toBe('kcm');
  });

  it('lets a step run while exactly what it cures fails', () => {
    const cure = does('stopSecondOwner', { cures: ['CCM3001'], phase: 'repair' });
    const run = new GivenRun([does()])
      .stepping()
      .rule(cure)
      .on(finished([TWO_OWNERS]));
    expect(run.last).toMatchObject({ kind: 'runStep', step: { name: 'stopSecondOwner' } });
    run.on(finished([TWO_OWNERS, verdict({ gate: 'quorum', code: 'CCM3003' })]));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
  });

  it('does not take "nothing was measured" for a pass', () => {
    const run = new GivenRun([does()]).stepping().on(finished([]));
    expect(run.state.trouble).toMatchObject({ kind: 'gates', findings: [{ code: 'CCM3012' }] });
  });

  it('shows a gate with a code of nobody as an unpassed gate', () => {
    const run = new GivenRun([does()]).stepping().on(finished([verdict({ code: 'X1' })]));
    expect(run.state.trouble?.findings[0].code).toBe('CCM4103');
  });

  it('measures again on retry, and soaks again after a soak that failed', () => {
    const soft = verdict({ hardness: 'soft', gate: 'errors', code: 'CCM3012' });
    const run = new GivenRun([does()], { soakSeconds: 5 }).stepping().rule(DONE);
    run.on(finished(), soaked([soft]));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    run.on(command('retry'));
    expect(run.last).toEqual({ kind: 'takeFence', fence: 2 });
    expect(run.on(FENCED).last).toEqual({ kind: 'soak', soakMs: 0 });
    expect(run.on(soaked()).last).toEqual({ kind: 'soak', soakMs: 5000 });
    expect(run.on(soaked()).last).toMatchObject({ kind: 'finish' });
  });

  it('asks for the handover once a direction, and never keeps a repair waiting', () => {
    const away = does('externalizeKcm', { phase: 'replaceNodes' });
    const run = new GivenRun([does('removeMachine', { phase: 'repair' })], {
      handoverApproval: 'required',
    }).stepping();
    expect(run.last).toMatchObject({ kind: 'runStep' });
    expect(run.rule(away).on(finished()).last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.trouble).toMatchObject({ kind: 'approval', what: 'handover' });
    expect(run.on(command('approve'), LOOKED).last).toMatchObject({ kind: 'runStep' });
    expect(run.on(finished([PASS], 1)).last).toMatchObject({ kind: 'runStep' });
    run.on(command('rollBack'), finished([PASS], 2), FENCED, LOOKED);
    expect(run.last).toMatchObject({ kind: 'runStep' });
  });
});

it.each([
  ['removeMachine', 'approval'],
  ['externalizeKcm', 'approval'],
  ['enableLeaderMigration', undefined],
] as const)('whether %s is part of the handover', (name, trouble) => {
  const run = new GivenRun([does(name, { phase: 'replaceNodes' })], {
    handoverApproval: 'required',
  }).stepping();
  expect(run.state.trouble?.kind).toBe(trouble);
});

describe('breaches that the guard reports', () => {
  const breach: RunEvent = { kind: 'guardBreach', verdict: TWO_OWNERS };

  it('hold after the step in flight, told once', () => {
    const run = new GivenRun([does()]).stepping().on(breach, breach);
    expect(run.last).toEqual({ kind: 'continue' });
    expect(run.state.breaches).toHaveLength(1);
    expect(run.on(finished()).last).toEqual({ kind: 'awaitCommand' });
  });

  it('end a soak at once', () => {
    const run = new GivenRun([does()], { soakSeconds: 5 }).stepping().rule(DONE).on(finished());
    expect(run.on(breach).last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.trouble?.kind).toBe('gates');
  });

  it('turn a blocked hold around when policy says so', () => {
    const run = new GivenRun([blocked()], { onBreach: 'rollBack' }).stepping().on(breach);
    expect(run.last).toEqual({ kind: 'takeFence', fence: 2 });
    expect(run.state.mandate.actor).toBe('policy onBreach');
  });

  it('change nothing while paused, and hold on resume', () => {
    const run = new GivenRun([blocked()]).stepping().on(command('pause'), breach);
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    run.rule(does()).on(command('resume'), LOOKED);
    expect(run.state.trouble?.kind).toBe('gates');
  });

  it('are left to the step in flight that cures them, and to the fence taken anew after it', () => {
    const cure = does('stopSecondOwner', { cures: ['CCM3001'], phase: 'repair' });
    const run = new GivenRun([cure]).stepping().on(breach);
    expect(run.state.breaches).toEqual([]);
    expect(run.rule(does()).on(finished()).last).toEqual({ kind: 'takeFence', fence: 2 });
    expect(run.on(FENCED).last).toMatchObject({ kind: 'runStep' });
  });

  it('that came before their cure are gone with it, and so is the fence they stand in', () => {
    const cure = does('stopSecondOwner', { cures: ['CCM3001'], phase: 'repair' });
    const run = new GivenRun([cure]).on(STARTED, FENCED, breach, LOOKED);
    expect(run.last).toMatchObject({ kind: 'runStep' });
    run.rule(does()).on(finished());
    expect(run.state.breaches).toEqual([]);
    expect(run.last).toEqual({ kind: 'takeFence', fence: 2 });
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
    expect(run.on(finished()).last).toEqual({ kind: 'takeFence', fence: 2 });
  });

  it('does so from a blocked hold at once', () => {
    const run = new GivenRun([blocked()]).stepping().on(ended);
    expect(run.last).toEqual({ kind: 'takeFence', fence: 2 });
  });

  it('is for a person to look at after three times', () => {
    const run = new GivenRun([blocked()]).stepping();
    run.on(ended, FENCED, ended, FENCED, ended, FENCED, ended);
    expect(run.last).toEqual({ kind: 'awaitCommand' });
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

describe('failures of steps', () => {
  it('have an unknown outcome: the fence anew, a look, then the same step a bounded number of times', () => {
    const run = new GivenRun([does()]).stepping();
    for (let tries = 1; tries < 4; tries += 1) {
      expect(run.on(failed('Timeout')).last).toMatchObject({ kind: 'takeFence' });
      expect(run.on(FENCED).last).toEqual({ kind: 'observe' });
      expect(run.on(LOOKED).last).toMatchObject({ kind: 'runStep' });
    }
    run.on(failed('Timeout'), FENCED, LOOKED);
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.trouble).toMatchObject({
      kind: 'repeats',
      findings: [{ code: 'CCM4101', seen: '4 attempts; Timeout: it failed' }],
    });
    expect(run.on(command('retry'), FENCED, LOOKED).last).toMatchObject({ kind: 'runStep' });
  });

  it('are counted over looks that differ', () => {
    const run = new GivenRun([does()]).stepping();
    for (let version = 1; version <= 4; version += 1) {
      const { look } = changeSeen(version) as Extract<RunEvent, { kind: 'changeSeen' }>;
      run.on(failed('Conflict'), FENCED, { kind: 'looked', look });
    }
    expect(run.state.trouble?.kind).toBe('repeats');
  });

  it('a step that succeeds without changing anything is not repeated for ever', () => {
    const run = new GivenRun([does()])
      .stepping()
      .on(finished(), finished(), finished(), finished());
    expect(run.state.trouble?.findings[0].seen).toBe(
      '4 attempts; each time the same step was due again',
    );
    expect(run.last).toEqual({ kind: 'awaitCommand' });
  });

  it.each(['FenceLost', 'PreconditionFailed', 'Throttled'] as const)(
    '%s needs nobody: it looks and goes on',
    (type) => {
      const run = new GivenRun([does()]).stepping().on(failed(type), FENCED, LOOKED);
      expect(run.last).toMatchObject({ kind: 'runStep' });
    },
  );

  it.each([
    ['ForeignEdit', 'CCM4006'],
    ['NoProof', 'CCM4007'],
    ['EffectNotSeen', 'CCM4008'],
    ['Forbidden', 'CCM4009'],
    ['Unauthorized', 'CCM4016'],
  ] as const)('%s holds with %s and what to type', (type, code) => {
    const run = new GivenRun([does()]).stepping().on(failed(type), FENCED, LOOKED);
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.trouble).toMatchObject({ kind: 'failure', findings: [{ code }] });
  });

  it.each([
    ['Breach', 'CCM4023'],
    ['GateFailed', 'CCM4103'],
  ] as const)('%s is measured: policy decides', (type, code) => {
    const held = new GivenRun([does()]).stepping().on(failed(type), FENCED, LOOKED);
    expect(held.state.trouble).toMatchObject({ kind: 'gates', findings: [{ code }] });
    const back = new GivenRun([does()], { onBreach: 'rollBack' }).stepping();
    back.on(failed(type), FENCED, LOOKED);
    expect(back.state.target).toBe('kcm');
  });

  it('a breach that stopped a step is told once, and its repair may run', () => {
    const breach: RunEvent = { kind: 'guardBreach', verdict: TWO_OWNERS };
    const told = new GivenRun([does()]).stepping().on(breach, failed('Breach'));
    expect(told.state.breaches).toEqual([TWO_OWNERS]);
    const repair = does('stopSecondOwner', { phase: 'repair', cures: ['CCM3001'] });
    const run = new GivenRun([does()]).stepping().rule(repair).on(failed('Breach'), FENCED, LOOKED);
    expect(run.last).toMatchObject({ kind: 'runStep', step: { name: 'stopSecondOwner' } });
  });

  it.each([
    ['InvalidInput', 'failed'],
    ['NotSupported', 'failed'],
    ['Bug', 'failed'],
  ] as const)('%s ends the run with the state of the cluster after one more look', (type, kind) => {
    const run = new GivenRun([does()]).stepping().on(failed(type));
    expect(run.last).toMatchObject({ kind: 'takeFence' });
    expect(run.on(FENCED).last).toEqual({ kind: 'observe' });
    run.on(LOOKED);
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: { kind, failureType: type, clusterState: expect.stringContaining('cp-1: KCM') },
    });
  });

  it('ends so even when that look fails too', () => {
    const run = new GivenRun([does()]).stepping().on(failed('Bug'), failed('Unreachable'));
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: { kind: 'failed', failureType: 'Bug' },
    });
  });

  it('puts a manifest back before it holds or pauses, a bounded number of times', () => {
    const away = does('finishManifest');
    const run = new GivenRun([does()]).stepping().on(command('pause')).rule(away);
    run.on(failed('EffectNotSeen'), FENCED, LOOKED);
    expect(run.last).toMatchObject({ kind: 'runStep', step: { name: 'finishManifest' } });
    run.rule(does()).on(finished());
    expect(run.state.hold).toBe('pause');
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.trouble?.kind).toBe('failure');

    const stuck = new GivenRun([does()])
      .stepping()
      .rule(away)
      .on(failed('EffectNotSeen'), FENCED, LOOKED);
    for (let tries = 0; tries < 4; tries += 1) stuck.on(failed('Timeout'), FENCED, LOOKED);
    expect(stuck.last).toEqual({ kind: 'awaitCommand' });
  });
});

describe('failures of reads', () => {
  it.each(['Unreachable', 'Forbidden'] as const)('%s holds, and retry looks again', (type) => {
    const run = new GivenRun([does()]).on(STARTED, FENCED, failed(type));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(command('retry'), FENCED).last).toEqual({ kind: 'observe' });
  });

  it('a fence that another run holds refuses a run that has done nothing', () => {
    const run = new GivenRun([does()]).on(STARTED, failed('AlreadyRunning'));
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: {
        kind: 'refused',
        failureType: 'AlreadyRunning',
        clusterState: 'the cluster was not looked at and nothing was changed',
        findings: [{ code: 'CCM4003', subject: 'fence Lease kube-system/ccm-migrate' }],
      },
    });
  });

  it('fails a run whose fence was taken by another in the middle', () => {
    const run = new GivenRun([does()]).stepping().on(failed('FenceLost'), failed('AlreadyRunning'));
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'failed' } });
  });

  it.each([
    ['a soak', [finished(), failed()], 'gates'],
    ['a wait', [finished([PASS], 9), failed()], 'gates'],
  ] as const)('%s that fails holds', (_what, events, subject) => {
    const run = new GivenRun([does()], { soakSeconds: 5 })
      .stepping()
      .rule(DONE)
      .on(...events);
    expect(run.state.trouble).toMatchObject({ kind: 'failure', findings: [{ subject }] });
  });

  it('a wait for change that fails holds for a person', () => {
    const run = new GivenRun([blocked()]).stepping().on(failed('Unreachable'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.trouble?.findings[0].subject).toBe('look at the cluster');
  });
});
