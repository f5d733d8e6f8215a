import { describe, expect, it } from '@jest/globals';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import type { RunEvent } from '../../../domain/run/run-state.js';
import type { Finding } from '../../../domain/findings/finding.js';
import { makeFinding } from '../../../domain/findings/catalogue.js';
import type { Decision } from '../../../domain/decision/step.js';
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
  soaked,
  verdict,
} from './given-run.js';

const SOFT = verdict({ gate: 'errors', hardness: 'soft', code: 'CCM3012' });

describe('pause and resume', () => {
  it('a run is pausing while a step is in flight, paused at its end, and observes again with the same direction', () => {
    const run = new GivenRun([does()]).stepping();
    const pause = command('pause');
    expect(run.on(pause).last).toEqual({ kind: 'continue' });
    expect(run.answer(pause)).toBe('pending: pausing: step prepareCcm is in flight');
    expect(run.on(finished()).last).toEqual({ kind: 'awaitCommand' });
    expect(run.answer(pause)).toBe('applied: paused: nothing is changed until resume');
    const resume = command('resume');
    expect(run.on(resume).last).toMatchObject({ kind: 'observe' });
    expect(run.answer(resume)).toBe('applied: resumed, target CCM');
    expect(run.on(LOOKED).last).toMatchObject({ kind: 'runStep' });
  });

  it('pause reports who paused the run, also to a second operator', () => {
    const run = new GivenRun([blocked()]).stepping().on(command('pause', { actor: 'bo' }));
    const byBo = { kind: 'pause', by: { actor: 'bo', reason: 'because' } };
    expect(run.state.operatorHold).toEqual(byBo);
    const again = command('pause', { actor: 'eve' });
    run.on(again);
    expect(run.answer(again)).toBe('applied: it is paused already, by bo: because');
    expect(run.state.operatorHold).toEqual(byBo);
    expect(run.on(command('resume')).state.operatorHold).toEqual({ kind: 'none' });
  });

  it('a run pauses before the first fence, and in the middle of a soak', () => {
    const early = new GivenRun([does()]).on(command('pause'), { kind: 'started' });
    expect(early.last).toEqual({ kind: 'awaitCommand' });
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());
    expect(run.on(command('pause')).last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(command('resume'), LOOKED).last).toEqual({ kind: 'soak', soakMs: 9000 });
  });

  it('resume is refused where nothing is paused, and does not disturb a wait', () => {
    const run = new GivenRun([blocked()]).stepping();
    const resume = command('resume');
    expect(run.on(resume).last).toEqual({ kind: 'continue' });
    expect(run.answer(resume)).toBe('refused: CCM4005: the run is not paused');
  });
});

describe('the direction', () => {
  it('the direction changes at the safe point with a new fence, and a paused run stays paused', () => {
    const run = new GivenRun([blocked()]).stepping().on(command('pause'));
    const back = command('rollBack');
    expect(run.on(back).last).toEqual({ kind: 'awaitCommand' });
    expect(run.answer(back)).toContain('the run stays paused until resume');
    expect(run.on(command('resume')).last).toMatchObject({ kind: 'takeFence', fence: 2 });
    expect(run.state.direction.target).toBe('kcm');
    expect(run.state.direction.requestedBy).toEqual({ actor: 'ana', reason: 'because' });
    const forward = command('rollForward');
    run.on(forward, FENCED);
    expect(run.answer(forward)).toBe('applied: the target is CCM now');
  });

  it('the direction does not change to the current one', () => {
    const run = new GivenRun([blocked()]).stepping();
    const forward = command('rollForward');
    run.on(forward);
    expect(run.answer(forward)).toMatch(/^refused: CCM4005: the run already targets CCM/);
  });

  it('a soak ends at once when the direction changes', () => {
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());
    expect(run.on(command('rollBack')).last).toMatchObject({ kind: 'takeFence', fence: 2 });
  });
});

describe('the plan of a direction that the run changed to', () => {
  const objection = makeFinding('CCM1301', { subject: 'managers', seen: 'two names' });
  const checked = (objections: readonly Finding[]): RunEvent => ({
    kind: 'checked',
    report: { planDigest: 'sha256:back', objections },
  });
  const turned = (decision: Decision): GivenRun =>
    new GivenRun([decision]).stepping().on(command('rollBack'), finished(), FENCED, LOOKED);

  it('is checked before its first step, once, and recorded', () => {
    const run = turned(does());
    expect(run.last).toEqual({ kind: 'check', early: false });
    expect(run.state.direction.planDigest).toBe('sha256:plan');
    expect(run.on(checked([])).last).toMatchObject({ kind: 'runStep' });
    expect(run.state.direction.planDigest).toBe('sha256:back');
    expect(run.on(finished()).last).toMatchObject({ kind: 'runStep' });
  });

  it('holds the run for what forbids it, until that is fixed', () => {
    const run = turned(does()).on(checked([objection]));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason).toMatchObject({ kind: 'failure', findings: [objection] });
    run.on(command('retry'), FENCED, LOOKED);
    expect(run.last).toEqual({ kind: 'check', early: false });
    expect(run.on(checked([])).last).toMatchObject({ kind: 'runStep' });
  });

  it('delays no repair', () => {
    const repair = does('stopSecondOwner', { phase: 'repair' });
    expect(turned(repair).last).toMatchObject({ kind: 'runStep' });
    const held = turned(repair)
      .rule(does())
      .on(finished(), checked([objection]));
    expect(held.rule(repair).on(command('retry'), FENCED, LOOKED).last).toMatchObject({
      kind: 'runStep',
    });
  });

  it('is dropped with its direction', () => {
    const run = turned(does()).on(checked([objection]), command('rollForward'), FENCED, LOOKED);
    expect(run.state.direction.objections).toEqual([]);
    expect(run.last).toEqual({ kind: 'check', early: false });
  });
});

describe('stop and cancellation', () => {
  it.each([
    ['stop', command('stop'), 'stopped by ana: because'],
    ['cancellation', { kind: 'cancelled' }, 'stopped by temporal: the workflow was cancelled'],
  ] as const)('%s ends at the safe point and never rolls back', (_name, event, summary) => {
    const run = new GivenRun([does()]).stepping().on(event, finished());
    expect(run.last).toMatchObject({
      kind: 'finish',
      outcome: {
        kind: 'stopped',
        target: 'ccm',
        summary,
        nextCommand: 'ccm-migrate apply --cluster c1 --target ccm',
        otherCommands: ['ccm-migrate rollback c1'],
      },
    });
  });

  it('stop refuses later commands, and is reported even without a reason', () => {
    const stop = command('stop', { reason: '' });
    const late = command('rollBack');
    const run = new GivenRun([does()]).stepping().on(stop, late, finished());
    expect(run.answer(late)).toBe('refused: CCM4005: the run is stopping');
    expect(run.last).toMatchObject({ outcome: { summary: 'stopped by ana' } });
    const after = command('retry');
    run.on(after);
    expect(run.answer(after)).toBe('refused: the run has ended');
  });

  it('no command is left pending when the run ends by itself', () => {
    const run = new GivenRun([does()]).stepping();
    const retry = command('retry');
    run.on(retry, failed('ClusterMismatch'), failed('ClusterMismatch'));
    expect(run.answer(retry)).toBe('refused: the run has ended');
  });
});

describe('retry', () => {
  it('retry is refused where nothing is held, while paused, and where an approval is required', () => {
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());
    const early = command('retry');
    run.on(early);
    expect(run.answer(early)).toBe('refused: CCM4005: nothing to retry: the run is not held');
    const paused = command('retry');
    run.on(command('pause'), paused);
    expect(run.answer(paused)).toMatch(/the run is paused/);
    const waiting = new GivenRun([does('externalizeKcm', { phase: 'replaceNodes' })], {
      handoverApproval: 'required',
    }).stepping();
    const retry = command('retry');
    waiting.on(retry);
    expect(waiting.answer(retry)).toBe('refused: CCM4015: handover waits for approve or reject');
    const rejected = command('retry');
    waiting.on(command('reject'), rejected);
    expect(waiting.answer(rejected)).toMatch(/^refused/);
  });

  it('retry only observes again where the rules found nothing to do', () => {
    const run = new GivenRun([blocked()]).stepping().on(command('retry'));
    expect(run.last).toMatchObject({ kind: 'observe' });
  });
});

describe('skip', () => {
  const skip = (code?: string): RunEvent & { kind: 'commandReceived' } =>
    command('skip', { arguments: code === undefined ? {} : { code } });

  it('skip waives one finding for exactly the observed cluster', () => {
    const run = new GivenRun([blocked('CCM2013')]).stepping().on(skip('CCM2013'));
    expect(run.last).toMatchObject({ kind: 'observe' });
    run.rule(does()).on(LOOKED);
    expect(run.asked.at(-1)?.waivers).toEqual(['CCM2013']);
    run.on(finished([verdict({ verdict: 'pass' })], 7));
    expect(run.asked.at(-1)?.waivers).toEqual([]);
  });

  it.each([
    [
      'a finding that guards against two owners',
      blocked('CCM2001'),
      'CCM2001',
      /^refused: CCM4014/,
    ],
    [
      'a finding that only an owner may approve',
      blocked('CCM2007'),
      'CCM2007',
      /^refused: CCM4014/,
    ],
    [
      'a finding that the run does not hold for',
      blocked('CCM2013'),
      'CCM2012',
      /is not held for CCM2012/,
    ],
    ['an empty code', blocked('CCM2013'), undefined, /an unnamed finding/],
  ])('skip is refused for %s', (_what, decision, code, answer) => {
    const run = new GivenRun([decision]).stepping();
    const event = skip(code);
    expect(run.on(event).last).toEqual({ kind: 'continue' });
    expect(run.answer(event)).toMatch(answer);
  });

  it('skip is refused for hard gates and breaches', () => {
    const run = new GivenRun([does()]).stepping().on(finished([verdict()]));
    const event = skip('CCM3001');
    run.on(event);
    expect(run.answer(event)).toMatch(/^refused: CCM4014/);
  });

  it('skip lets one soft gate pass, and the rest of the soak goes on from its progress', () => {
    const latency = { ...SOFT, gate: 'latency' };
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE);
    run.on(finished(), soaked([SOFT, latency], 4000), skip('CCM3012'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.gates).toEqual([latency]);
    expect(run.on(skip('CCM3012')).last).toMatchObject({ kind: 'observe' });
    expect(run.on(LOOKED).last).toEqual({ kind: 'soak', soakMs: 9000 });
    expect(run.state.proofs).toMatchObject({ soak: 'pending', soakProgress: { soakedMs: 4000 } });
    expect(run.on(soaked([SOFT, latency])).last).toMatchObject({
      kind: 'runStep',
      planned: { step: { name: 'verify' } },
    });
    const by = { actor: 'ana', reason: 'because' };
    expect(run.state.direction.waivedGates).toEqual(
      [SOFT, latency].map(({ gate, code }) => ({ gate, code, ...by })),
    );
    expect(run.state.direction.waivers).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp, readonly string[]]>([
    ['refused without a gate', {}, /^refused: CCM4005: .*CCM3012 .*, latency: .*--gate/, []],
    ['of the gate that it names', { gate: 'latency' }, /^applied: latency/, ['latency']],
    ['refused for another', { gate: 'quota' }, /^refused: CCM4005: .*CCM3012 of quota/, []],
  ])('of two gates that share a code, a skip is %s', (_what, about, answer, waived) => {
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE);
    const sent = command('skip', { arguments: { code: 'CCM3012', ...about } });
    const event = { ...sent, isExact: true as const };
    run.on(finished(), soaked([SOFT, { ...SOFT, gate: 'latency' }], 4000), event);
    expect(run.answer(event)).toMatch(answer);
    expect((run.state.direction.waivedGates ?? []).map(({ gate }) => gate)).toEqual(waived);
  });

  it('a skip that names a gate waives no finding', () => {
    const run = new GivenRun([blocked('CCM2013')]).stepping();
    const event = command('skip', { arguments: { code: 'CCM2013', gate: 'quota' } });
    expect(run.on(event).last).toEqual({ kind: 'continue' });
    expect(run.answer(event)).toMatch(/not held for CCM2013 of quota/);
  });

  it('a gate that the guard and the soak both reported is one gate', () => {
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE);
    run.on(finished(), { kind: 'guardBreach', verdict: SOFT }, soaked([SOFT], 4000));
    const event = { ...skip('CCM3012'), isExact: true as const };
    run.on(event);
    expect(run.answer(event)).toMatch(/^applied/);
  });

  it.each([
    ['another gate', { ...SOFT, gate: 'latency' }],
    ['another finding of the same gate', { ...SOFT, code: 'CCM3101' }],
    ['a hard gate of that name', { ...SOFT, hardness: 'hard' as const }],
  ])('after a skip, %s fails the soak', (_what, other) => {
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE);
    run.on(finished(), soaked([SOFT], 4000), skip('CCM3012'), LOOKED, soaked([SOFT, other], 5000));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.gates).toEqual([other]);
  });

  it('skip takes a soft gate that the guard reported, and what it reports of it again holds nothing', () => {
    const run = new GivenRun([does()]).stepping().rule(DONE);
    run.on({ kind: 'guardBreach', verdict: SOFT }, finished());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    run.on(skip('CCM3012'), { kind: 'guardBreach', verdict: SOFT });
    expect(run.state.problems).toMatchObject({ breaches: [], holdReason: null });
    expect(run.on(LOOKED).last).toMatchObject({ kind: 'runStep' });
  });

  it('a soak that a hard gate failed begins again, one that only soft gates failed may go on', () => {
    const soakedBy = (gates: readonly GateVerdict[]): GivenRun =>
      new GivenRun([does()], { soakSeconds: 9 })
        .stepping()
        .rule(DONE)
        .on(finished(), soaked(gates, 4000));
    expect(soakedBy([SOFT, verdict()]).state.proofs.soakProgress).toBeNull();
    const soft = soakedBy([SOFT]);
    expect(soft.state.proofs.soakProgress).toMatchObject({ soakedMs: 4000 });
    soft.on(command('retry'));
    expect(soft.state.proofs).toMatchObject({ soak: 'pending', soakProgress: null });
  });

  it('a change of direction forgets the gates that were skipped', () => {
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE);
    run.on(finished(), soaked([SOFT], 4000), skip('CCM3012'), command('rollBack'));
    expect(run.state.direction).not.toHaveProperty('waivedGates');
  });

  it('skip of a soft gate after a step does not skip the later soak', () => {
    const run = new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE);
    run.on(finished([SOFT]), skip('CCM3012'), LOOKED);
    expect(run.last).toEqual({ kind: 'soak', soakMs: 9000 });
  });
});

describe('a command id', () => {
  it('a command id is applied once, however often it arrives', () => {
    const run = new GivenRun([blocked()]).stepping();
    const pause = command('pause');
    run.on(pause, command('resume'), LOOKED, pause);
    expect(run.state.operatorHold.kind).toBe('none');
  });
});
