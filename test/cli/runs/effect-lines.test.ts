import { describe, expect, it } from '@jest/globals';
import { effectLines, standingOf } from '../../../cli/runs/effect-lines.js';
import { statusOf } from '../given-runs.js';

describe('before the direction of a run is reversed', () => {
  it('three lines show the target, what was done, and whether rollback is possible', () => {
    expect(
      effectLines('kcm', standingOf(statusOf({ reversibility: 'possible; first: x' }))),
    ).toEqual([
      'Target:    KCM, as before the migration; begins when enableLeaderMigration cp-2 has ended',
      'Now:       2 steps done, the KCM runs the cloud controllers',
      'Rollback:  possible; first: x',
    ]);
    expect(effectLines('ccm', standingOf(statusOf({ step: null, owner: 'unknown' })))).toEqual([
      'Target:    CCM; begins at once',
      'Now:       2 steps done, it is not known who runs the cloud controllers',
      expect.stringMatching(/^Effect: /),
    ]);
  });

  it('a run that ended before counting its steps gets no step count', () => {
    const standing = { ...standingOf(statusOf({ step: null })), stepsDone: null };
    expect(effectLines('kcm', standing)[1]).toBe('Now:       the KCM runs the cloud controllers');
  });

  it('nothing is shown without a status, or for a command that reverses nothing', () => {
    expect(effectLines('kcm', null)).toEqual([]);
    expect(effectLines(null, standingOf(statusOf()))).toEqual([]);
  });
});
