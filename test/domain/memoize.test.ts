import { expect, it } from '@jest/globals';
import { memoizeByKey } from '../../domain/memoize.js';

function withRoomForTen(): { known: (text: string) => number; asked: readonly string[] } {
  const asked: string[] = [];
  const answer = (text: string): number => asked.push(text) && text.length;
  return { asked, known: memoizeByKey(answer, (text) => text, 10) };
}

it('a known manifest is answered again without computing it, while there is room', () => {
  const { known, asked } = withRoomForTen();
  expect([known('abc'), known('abc'), known('defg'), known('abc')]).toEqual([3, 3, 4, 3]);
  expect(asked).toEqual(['abc', 'defg']);
});

it('known manifests stay within their limit, however many are requested', () => {
  const { known, asked } = withRoomForTen();
  known('abc');
  known('x'.repeat(11));
  known('x'.repeat(11));
  known('abc');
  expect(asked).toEqual(['abc', 'x'.repeat(11), 'x'.repeat(11), 'abc']);
  known('defghi');
  known('jklmno');
  known('abc');
  expect(asked.slice(-3)).toEqual(['defghi', 'jklmno', 'abc']);
});
