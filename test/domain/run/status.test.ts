import { describe, expect, it } from '@jest/globals';
import { doingKey, runStatus } from '../../../domain/run/run-status.js';
import {
  blocked,
  braked,
  BY,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  GivenRun,
  granted,
  LOOKED,
  MEMBER,
  order,
  PARK,
  verdict,
} from './given-run.js';

describe('status', () => {
  it('the status describes a run that has not begun', () => {
    const { state } = new GivenRun([does()]);
    expect(runStatus(state)).toMatchObject({
      phase: 'starting',
      inFlight: 'idle',
      owner: 'unknown',
      step: null,
      reversibility: 'unknown: the cluster was not observed',
    });
  });

  it('the status describes a step in flight, pausing, paused and soaking', () => {
    const run = new GivenRun(
      [does('startCcm', { effect: { kind: 'addMachine', machine: 'cp-7', side: 'target' } })],
      { soakSeconds: 5 },
    );
    expect(runStatus(run.stepping().state)).toMatchObject({
      phase: 'prepareCcm',
      pause: 'none',
      owner: 'kcm',
      step: { name: 'startCcm', node: 'cp-7', why: 'the test wants it' },
    });
    expect(runStatus(run.on(command('pause')).state).pause).toBe('pausing');
    expect(runStatus(run.rule(DONE).on(finished()).state)).toMatchObject({
      pause: 'paused',
      pausedBy: { actor: 'ana', reason: 'because' },
      phase: 'prepareCcm',
      orphanMs: 3,
      stepsDone: [{ name: 'startCcm', node: 'cp-7' }],
    });
    expect(runStatus(run.on(command('resume')).state).phase).toBe('prepareCcm');
    expect(runStatus(run.on(LOOKED).state).phase).toBe('soak');
  });

  it('the status names the fleet that parks or brakes the run', () => {
    const run = new GivenRun([does()], {}, MEMBER).stepping().on(braked());
    expect(runStatus(run.state)).toMatchObject({ pause: 'pausing', hold: 'none', pausedBy: null });
    run.on(finished(), PARK);
    expect(runStatus(run.state)).toMatchObject({
      ...{ pause: 'paused', hold: 'pause', pausedBy: BY, parkedBy: 'prod-eu' },
      owner: 'kcm',
    });
    const braking = doingKey(run.state);
    run.on(braked('pause-1', 'release'));
    expect(runStatus(run.state)).toMatchObject({ pause: 'none', hold: 'none', pausedBy: null });
    expect(doingKey(run.state)).not.toBe(braking);
    expect(runStatus(run.on(granted()).state).parkedBy).toBeNull();
    const before = runStatus(run.on(order({ kind: 'park' }, { row: 9 })).state);
    expect(before.pause).toBe('none');
  });

  it('the status keeps the phase under a hold, and names the next step', () => {
    const held = new GivenRun([does('externalizeKcm', { phase: 'replaceNodes' })], {
      handoverApproval: 'required',
    });
    expect(runStatus(held.stepping().state)).toMatchObject({
      holdReason: 'approval',
      phase: 'replaceNodes',
      step: null,
      nextStep: { phase: 'replaceNodes', name: 'externalizeKcm', why: 'the test wants it' },
    });
    const paused = new GivenRun([blocked()]).stepping().on(command('pause'));
    expect(runStatus(paused.state)).toMatchObject({ phase: 'starting', nextStep: null });
  });

  it('the status describes activities other than steps', () => {
    const run = new GivenRun([does()]);
    const key = (): string => doingKey(run.state);
    const keys = [key(), (run.stepping(), key())];
    keys.push((run.on(command('pause'), finished()), key()));
    keys.push((run.on(command('resume')), key()));
    keys.push((run.on(failed('ForeignEdit'), FENCED, LOOKED), key()));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('the status names what ends a hold', () => {
    const held = (run: GivenRun) => runStatus(run.state).whoActs;
    const stepping = (): GivenRun => new GivenRun([does()]).stepping();
    expect(held(stepping())).toBe('none');
    expect(held(stepping().on(failed('ForeignEdit'), FENCED, LOOKED))).toBe('person');
    expect(held(stepping().on(failed('EffectNotSeen'), FENCED, LOOKED))).toBe('environment');
  });

  it('the status describes a hold and the end', () => {
    const held = new GivenRun([blocked()]).stepping();
    expect(runStatus(held.state)).toMatchObject({
      holdReason: 'blocked',
      whoActs: 'environment',
      findings: [{ code: 'CCM2003' }],
    });
    const ended = new GivenRun([DONE]).stepping();
    expect(runStatus(ended.state)).toMatchObject({
      phase: 'ended',
      outcome: { kind: 'done' },
      nextCommand: 'ccm-migrate check --cluster c1',
      advice: '',
    });
  });
});

describe('what holds a run is shown by the page that helps', () => {
  const shown = (changes: Parameters<typeof verdict>[0]): readonly string[] =>
    runStatus(
      new GivenRun([does()]).stepping().on(finished([verdict(changes)])).state,
    ).findings.map(({ code }) => code);

  it.each([
    ['a suspicion', 'inconclusive', 'CCM3102'],
    ['metrics that were not measured', 'error', 'CCM3103'],
    ['metrics without a sample', 'noData', 'CCM3103'],
  ] as const)('%s has its own code, by which it is skipped', (_what, said, code) => {
    expect(shown({ gate: 'x', hardness: 'soft', verdict: said, code })).toEqual([code]);
  });

  it('a hard gate that was not measured says so', () => {
    expect(shown({ verdict: 'error', code: 'CCM3005' })).toEqual(['CCM3011']);
    expect(shown({ verdict: 'noData', code: 'CCM3005' })).toEqual(['CCM3012']);
  });
});
