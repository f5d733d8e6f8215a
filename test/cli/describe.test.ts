import { expect, it } from '@jest/globals';
import { guardWords } from '../../cli/commands/describe.js';

const SEEN = { moves: 2, overlapSeconds: 0, orphanSeconds: 3 };

it.each([
  ['all was known', { ...SEEN, unknownSeconds: 0 }, 'none for 3.0 s'],
  [
    'some was not',
    { ...SEEN, unknownSeconds: 21 },
    'none for 3.0 s, and for 21.0 s nobody can tell',
  ],
])('the guard’s words: %s', (_case, seen, words) => {
  expect(guardWords(seen)).toBe(`2 moves, two owners for 0.0 s, ${words}`);
});
