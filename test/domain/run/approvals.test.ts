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

  it('an approval that names something else than the handover is answered with what waits, and is none', () => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const named = (code: string) => ({
      ...command('approve', { actor: 'bo', arguments: { code } }),
      isExact: true as const,
    });
    const [other, right] = [named('CCM4015'), named('handover')];
    run.on(other);
    expect(run.answer(other)).toBe(
      'refused: CCM4005: the run waits for approval of the handover, not of CCM4015: approve it without --code',
    );
    expect(run.state.direction.approvals).toEqual([]);
    expect(run.state.problems.holdReason?.kind).toBe('approval');
    run.on(right);
    expect(run.answer(right)).toBe('applied: handover approved by bo');
  });

  it('an exact approval without a code is of what waits', () => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const approve = { ...command('approve', { actor: 'bo' }), isExact: true as const };
    run.on(approve);
    expect(run.answer(approve)).toBe('applied: handover approved by bo');
  });

  it('a rejected finding is approved by its own code only', () => {
    const run = new GivenRun([blocked('CCM2007')]).stepping();
    run.on(command('reject'));
    const named = (code: string) => ({
      ...command('approve', { actor: 'bo', arguments: { code } }),
      isExact: true as const,
    });
    const [other, right] = [named('CCM2012'), named('CCM2007')];
    run.on(other, right);
    expect(run.answer(other)).toBe(
      'refused: CCM4005: the run waits for approval of CCM2007, not of CCM2012',
    );
    expect(run.answer(right)).toBe('applied: CCM2007 approved by bo');
  });

  it('a run of an older build takes it for one of the handover, as it did', () => {
    const run = new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const other = command('approve', { actor: 'bo', arguments: { code: 'CCM4015' } });
    run.on(other);
    expect(run.answer(other)).toBe('applied: handover approved by bo');
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

  describe('of a handover that two must approve', () => {
    const asking = () => new GivenRun([away], { handoverApproval: 'required' }).stepping();
    const by = (principal: string, quorum = 2) => ({
      ...command('approve', { actor: principal }),
      admitted: { principal, quorum },
    });

    it('it waits for the second, and says who was the first', () => {
      const run = asking();
      const [bo, cy] = [by('bo'), by('cy')];
      run.on(bo);
      expect(run.answer(bo)).toBe('applied: 1 of 2 people have approved the handover');
      expect(run.state.direction.approvals).toEqual([]);
      expect(run.last).toEqual({ kind: 'awaitCommand' });
      expect(run.state.problems.holdReason).toMatchObject({
        kind: 'approval',
        findings: [{ code: 'CCM4015', seen: '1 of 2 people have approved it: bo' }],
      });
      run.on(cy, LOOKED);
      expect(run.answer(cy)).toBe('applied: handover approved by cy, 2 of 2');
      expect(run.last).toMatchObject({ kind: 'runStep' });
    });

    it('one person is one approval, whatever name it claims', () => {
      const run = asking();
      const [bo, again] = [by('bo'), { ...by('bo'), actor: 'cy' }];
      run.on(bo, again);
      expect(run.answer(again)).toBe(
        'refused: CCM4015: bo has approved it already; another person must, too',
      );
      expect(run.state.problems.holdReason?.kind).toBe('approval');
    });

    it('a policy that asks for fewer since then takes the first one again', () => {
      const run = asking();
      const again = by('bo', 1);
      run.on(by('bo'), again, LOOKED);
      expect(run.answer(again)).toBe('applied: handover approved by bo');
      expect(run.last).toMatchObject({ kind: 'runStep' });
    });

    it('a run that was approved when one sufficed takes a second approval while it is held', () => {
      const run = asking();
      const [bo, cy, di] = [by('bo', 1), by('cy'), by('di')];
      run.on(bo, LOOKED, failed('AuthorityLost'), FENCED, LOOKED);
      expect(run.answer(bo)).toBe('applied: handover approved by bo');
      expect(run.state.problems.holdReason?.kind).toBe('failure');
      const again = by('bo');
      run.on(again, cy, di);
      expect(run.answer(again)).toMatch(/^refused: CCM4015: bo has approved it already/);
      expect(run.answer(cy)).toBe('applied: 2 of 2 people have approved the handover; now retry');
      expect(run.answer(di)).toMatch(/^refused: CCM4005: nothing waits/);
      expect(run.state.direction.approvals).toEqual(['handover']);
      expect(run.state.problems.holdReason?.kind).toBe('failure');
    });

    it('and of three says how many there are', () => {
      const run = asking();
      const cy = by('cy', 3);
      run.on(by('bo', 1), LOOKED, failed('AuthorityLost'), FENCED, LOOKED, cy);
      expect(run.answer(cy)).toBe('applied: 2 of 3 people have approved the handover');
    });

    it('a rejection drops what was given before it', () => {
      const run = asking();
      const [first, second] = [by('cy'), by('bo')];
      run.on(by('bo'), command('reject', { actor: 'di' }), first);
      expect(run.answer(first)).toBe('applied: 1 of 2 people have approved the handover');
      run.on(second);
      expect(run.answer(second)).toBe('applied: handover approved by bo, 2 of 2');
    });

    it('so does a change of direction', () => {
      const run = asking();
      run.on(by('bo'), command('rollBack'), FENCED, LOOKED, CHECKED, finished());
      run.on(command('rollForward'), finished(), FENCED, LOOKED, CHECKED);
      expect(run.state.direction.handover).toBeUndefined();
    });

    it('a finding that its owner approves takes one', () => {
      const run = new GivenRun([blocked('CCM2007')]).stepping();
      const approve = { ...by('bo'), arguments: { code: 'CCM2007' } };
      run.on(approve);
      expect(run.answer(approve)).toBe('applied: CCM2007 approved by bo');
    });
  });

  it('approve has no effect where a failure holds', () => {
    const run = new GivenRun([does()]).stepping().on(failed('NoProof'), FENCED, LOOKED);
    const approve = command('approve');
    run.on(approve);
    expect(run.answer(approve)).toMatch(/^refused/);
  });
});
