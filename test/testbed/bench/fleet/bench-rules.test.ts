import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  failureKind,
  nextBenchStep,
  USUAL_STEPS,
} from '../../../../testbed/bench/fleet/bench-rules.js';

const BEHAVIOUR = { changeMs: 1200, soakMs: 50, backMs: 650, fails: null };
const FAILING = { ...BEHAVIOUR, fails: { afterMs: 250, signature: 'kind 2' } };

/** What one run does from a number of steps, until it fails or has nothing to do. */
function played(behaviour: typeof BEHAVIOUR | typeof FAILING, target: 'ccm' | 'kcm', from: number) {
  const steps = [];
  let done = from;
  while (target === 'ccm' ? done < 12 : done > 0) {
    const step = nextBenchStep(behaviour, 12, done, target);
    steps.push(step);
    ({ done } = step);
    if (step.fails !== null) break;
  }
  return {
    done,
    fails: steps.at(-1)?.fails ?? null,
    ms: steps.reduce((sum, { takesMs }) => sum + takesMs, 0),
  };
}

describe('the steps of a model cluster', () => {
  it('the steps of a cluster take the time that was drawn, forward and back', () => {
    const forward = played(BEHAVIOUR, 'ccm', 0);
    expect(forward).toEqual({ done: 12, fails: null, ms: 1200 });
    expect(played(BEHAVIOUR, 'kcm', 12).ms).toBeCloseTo(600);
  });

  it('a failing cluster fails when it was drawn to, with what it changed in force, and goes all of it back', () => {
    const forward = played(FAILING, 'ccm', 0);
    expect(forward).toEqual({ done: 3, fails: 'kind 2', ms: 250 });
    const back = played(FAILING, 'kcm', 3);
    expect(back).toMatchObject({ done: 0, fails: null });
    expect(back.ms).toBeCloseTo(600);
  });

  it('a failure at the very end is one of the last step', () => {
    const late = { ...BEHAVIOUR, fails: { afterMs: 1200, signature: 'kind 0' } };
    expect(played(late, 'ccm', 0)).toEqual({ done: 12, fails: 'kind 0', ms: 1200 });
  });

  it('the usual number of steps is that of a recorded run of three nodes in place', () => {
    const history = JSON.parse(readFileSync('test/workflows/histories/there.json', 'utf8'));
    const names = history.events.map(
      (event: Record<string, { activityType?: { name: string } }>) =>
        event['activityTaskScheduledEventAttributes']?.activityType?.name,
    );
    const executed = names.filter((name: string | undefined) => name === 'executeStep').length;
    const verifications = 1;
    expect(executed - verifications).toBe(USUAL_STEPS);
  });

  it('every kind of failure is one that a person must judge, and an unknown kind is an error', () => {
    expect(failureKind('kind 0')).toBe('ForeignEdit');
    expect(() => failureKind('kind 6')).toThrow('no failure is drawn as');
  });
});
