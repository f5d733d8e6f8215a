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

  it('a rejected handover waits for another decision', () => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const reject = command('reject');
    run.on(reject);
    expect(run.answer(reject)).toBe('applied: handover rejected by ana');
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.state.problems.holdReason?.findings[0].code).toBe('CCM4102');
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
  ])('approve is refused for %s', (_what, decision, given) => {
    const run = new GivenRun([decision]).stepping();
    const approve = command('approve', { arguments: given });
    const reject = command('reject', { arguments: given });
    run.on(approve, reject);
    expect(run.answer(approve)).toMatch(/^refused: CCM4005/);
    expect(run.answer(reject)).toMatch(/^refused: CCM4005/);
  });

  it.each<[string, string, string]>([
    [
      'the operator who requested it',
      'ana',
      'refused: CCM4015: ana requested this, so another person must approve it',
    ],
    [
      'the same person, spelled differently',
      ' Ana ',
      'refused: CCM4015: ana requested this, so another person must approve it',
    ],
    ['another operator', 'bo', 'applied: handover approved by bo'],
  ])('only another person can approve the handover: %s', (_who, actor, answer) => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const approve = command('approve', { actor });
    run.on(approve);
    expect(run.answer(approve)).toBe(answer);
    expect(run.state.direction.approvals).toEqual(answer.startsWith('applied') ? ['handover'] : []);
    expect(run.state.problems.holdReason?.kind).toBe(
      answer.startsWith('applied') ? undefined : 'approval',
    );
  });

  it('an approval is refused from the operator who changed the direction, and accepted from the one who began the run', () => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    run.on(command('rollBack', { actor: 'bo' }), FENCED, LOOKED, CHECKED, finished());
    run.on(command('rollForward', { actor: 'bo' }), finished(), FENCED, LOOKED, CHECKED);
    expect(run.state.problems.holdReason?.kind).toBe('approval');
    const [own, other] = [command('approve', { actor: 'bo' }), command('approve')];
    run.on(own, other);
    expect(run.answer(own)).toMatch(/^refused: CCM4015: bo requested/);
    expect(run.answer(other)).toBe('applied: handover approved by ana');
  });

  it('a run holds also for findings that only their owner can approve', () => {
    const run = new GivenRun([blocked('CCM2007')]).stepping();
    const approve = command('approve', { arguments: { code: 'CCM2007' } });
    run.on(approve);
    expect(run.answer(approve)).toMatch(/^refused: CCM4015/);
    expect(run.state.direction.approvals).toEqual([]);
  });

  it('approve has no effect where a failure holds', () => {
    const run = new GivenRun([does()]).stepping().on(failed('NoProof'), FENCED, LOOKED);
    const approve = command('approve');
    run.on(approve);
    expect(run.answer(approve)).toMatch(/^refused/);
  });
});
