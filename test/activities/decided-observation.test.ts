import { describe, expect, it } from '@jest/globals';
import { requireKnownEffect } from '../../activities/decided-observation.js';
import { EFFECT_VERSIONS, type Step } from '../../domain/decision/step.js';
import { planned } from '../support/planned.js';

describe('a step for an executor of another build', () => {
  const step: Step = {
    name: 'recordBaseline',
    phase: 'preflight',
    why: 'test',
    cures: [],
    effect: { kind: 'recordBaseline' },
  };
  const ours = planned(step);
  const refusal = (changes: object): unknown => {
    try {
      // A newer build may send a kind that this build's types do not have.
      requireKnownEffect({ planned: Object.assign({}, ours, changes) } as never);
      return null;
    } catch (error) {
      return error;
    }
  };

  it('a step of another build is carried out in the version that it was decided in', () => {
    expect(refusal({})).toBeNull();
  });

  it.each([
    ['a newer version', { effectVersion: EFFECT_VERSIONS.recordBaseline + 1 }, /knows version/],
    ['an effect of a later build', { step: { ...step, effect: { kind: 'teleport' } } }, /not know/],
    ['an inherited name', { step: { ...step, effect: { kind: 'toString' } } }, /not know/],
  ])(
    'a step of another build is refused before anything is written, to be tried again: %s',
    (_what, changes, words) => {
      const error = refusal(changes);
      expect(error).toMatchObject({
        ...{ type: 'UnknownStep', nonRetryable: false },
        message: expect.stringMatching(words),
        details: [expect.objectContaining({ wrote: false })],
      });
    },
  );
});
