import { describe, expect, it } from '@jest/globals';
import type { RunObservation } from '../../../domain/run/results.js';
import { withChange, withObservation } from '../../../domain/run/reports.js';
import { blocked, GivenRun } from './given-run.js';

/** Which observation a worker may continue from, however many workers share the run. */
describe('the observation that a run names to the next activity', () => {
  const run = new GivenRun([blocked()]);
  const seen = (observationId?: string): RunObservation => ({
    ...run.observed(),
    ...(observationId === undefined ? {} : { observationId }),
  });
  const waited = (observationId?: string) => ({ ...seen(observationId), ended: 'timeUp' }) as const;
  const first = withObservation(run.state, seen('first'));

  it.each([
    { after: 'an observation', state: first, named: 'first' },
    { after: 'a second one', state: withObservation(first, seen('second')), named: 'second' },
    { after: 'one by an older worker', state: withObservation(first, seen()), named: undefined },
    { after: 'a wait', state: withChange(first, waited('second')), named: 'second' },
    { after: 'a wait by an older worker', state: withChange(first, waited()), named: undefined },
  ])('after $after it is the last one: $named', ({ state, named }) => {
    expect(state.observed?.observationId).toBe(named);
  });
});
