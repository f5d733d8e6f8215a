import { describe, expect, it } from '@jest/globals';
import type { CommandAnswer } from '../../../domain/run/operator-command.js';
import { toldAnswers } from '../../../domain/run/told-answers.js';

const REFUSED: CommandAnswer = { state: 'refused', detail: 'the run is not paused' };

describe('what became of commands, with the outcome', () => {
  it('is told as it was answered', () => {
    expect(toldAnswers({ answers: { c: REFUSED } })).toEqual({ c: REFUSED });
  });

  it('is of the last hundred', () => {
    const ids = Array.from({ length: 101 }, (_, at) => `c${String(at)}`);
    const told = toldAnswers({ answers: Object.fromEntries(ids.map((id) => [id, REFUSED])) });
    expect(Object.keys(told)).toEqual(ids.slice(1));
  });

  it('stays small whatever was sent', () => {
    const long = { ...REFUSED, detail: 'x'.repeat(1_000_000) };
    const told = toldAnswers({ answers: { c: long, ['i'.repeat(1_000_000)]: REFUSED } });
    expect(Object.keys(told)).toEqual(['c']);
    expect(JSON.stringify(told).length).toBeLessThan(1_000);
  });
});
