import { describe, expect, it } from '@jest/globals';
import { MINORS } from '../../../../domain/managers/minors.js';
import { compare } from './compare.js';
import { answerOf, readCorpus } from './corpus.js';

describe('our reader of Leader Migration files agrees with the recorded answers of the real ones, 1.21 to 1.36', () => {
  const rows = readCorpus().flatMap(({ text, answers }) =>
    answers.flatMap(({ minors, said }) => minors.map((minor) => ({ text, minor, said }))),
  );

  it.each(MINORS)('our reader of Leader Migration files agrees with that of 1.%i', (minor) => {
    const mine = rows.filter((row) => row.minor === minor);
    const verdicts = mine.map(({ text, said }) => ({
      text,
      ...compare(text, minor, answerOf(said)),
    }));
    expect(verdicts.filter(({ kind }) => kind === 'differ')).toEqual([]);
    expect(mine.length).toBe(300);
    expect(mine.filter(({ said }) => said !== 'refused').length).toBeGreaterThan(4);
  });
});
