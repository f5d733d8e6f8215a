import { describe, expect, it } from '@jest/globals';
import {
  CHECKED,
  blocked,
  command,
  does,
  failed,
  FENCED,
  finished,
  GivenRun,
  LOOKED,
  verdict,
} from './given-run.js';

describe('approve and reject', () => {
  const away = does('externalizeKcm', { phase: 'replaceNodes' });

  it('a rejected handover waits for another word', () => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const reject = command('reject');
    run.on(reject);
    expect(run.answer(reject)).toBe('applied: handover rejected by ana');
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.trouble?.findings[0].code).toBe('CCM4102');
    const approve = command('approve', { actor: 'bo' });
    run.on(approve, LOOKED);
    expect(run.answer(approve)).toBe('applied: handover approved by bo');
    expect(run.last).toMatchObject({ kind: 'runStep' });
  });

  it('an approved foreign workload stays approved while the cluster changes', () => {
    const run = new GivenRun([blocked('CCM2007')]).stepping();
    const given = { actor: 'bo', arguments: { code: 'CCM2007' } };
    run.on(command('approve', given)).rule(does());
    run.on(LOOKED, finished([verdict({ verdict: 'pass' })], 4));
    expect(run.asked.at(-1)?.waivers).toEqual(['CCM2007']);
  });

  it.each([
    ['another code', blocked('CCM2007'), { code: 'CCM2012' }],
    ['what can only be skipped', blocked('CCM2013'), {}],
  ])('refuses to approve %s', (_what, decision, given) => {
    const run = new GivenRun([decision]).stepping();
    const approve = command('approve', { arguments: given });
    const reject = command('reject', { arguments: given });
    run.on(approve, reject);
    expect(run.answer(approve)).toMatch(/^refused: CCM4005/);
    expect(run.answer(reject)).toMatch(/^refused: CCM4005/);
  });

  it.each<[string, string, string]>([
    [
      'who asked for it',
      'ana',
      'refused: CCM4015: ana requested this, so another person must approve it',
    ],
    [
      'the same person, written otherwise',
      ' Ana ',
      'refused: CCM4015: ana requested this, so another person must approve it',
    ],
    ['somebody else', 'bo', 'applied: handover approved by bo'],
  ])('is approved by %s', (_who, actor, answer) => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const approve = command('approve', { actor });
    run.on(approve);
    expect(run.answer(approve)).toBe(answer);
    expect(run.state.approvals).toEqual(answer.startsWith('applied') ? ['handover'] : []);
    expect(run.state.trouble?.kind).toBe(answer.startsWith('applied') ? undefined : 'approval');
  });

  it('may not be given by who turned the run this way, but by who began it', () => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    run.on(command('rollBack', { actor: 'bo' }), FENCED, LOOKED, CHECKED, finished());
    run.on(command('rollForward', { actor: 'bo' }), finished(), FENCED, LOOKED, CHECKED);
    expect(run.state.trouble?.kind).toBe('approval');
    const [own, other] = [command('approve', { actor: 'bo' }), command('approve')];
    run.on(own, other);
    expect(run.answer(own)).toMatch(/^refused: CCM4015: bo requested/);
    expect(run.answer(other)).toBe('applied: handover approved by ana');
  });

  it('holds for findings that only their owner can agree to as well', () => {
    const run = new GivenRun([blocked('CCM2007')]).stepping();
    const approve = command('approve', { arguments: { code: 'CCM2007' } });
    run.on(approve);
    expect(run.answer(approve)).toMatch(/^refused: CCM4015/);
    expect(run.state.approvals).toEqual([]);
  });

  it('has nothing to approve where a failure holds', () => {
    const run = new GivenRun([does()]).stepping().on(failed('NoProof'), FENCED, LOOKED);
    const approve = command('approve');
    run.on(approve);
    expect(run.answer(approve)).toMatch(/^refused/);
  });
});
