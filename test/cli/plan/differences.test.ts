import { describe, expect, it } from '@jest/globals';
import { differences } from '../../../cli/plan/renewed-plan.js';

describe('differences', () => {
  it.each<[unknown, unknown, readonly string[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, ['a']],
    [{ a: 1 }, {}, ['a']],
    [
      [{ name: 'x', v: 1 }],
      [
        { name: 'y', v: 1 },
        { name: 'x', v: 2 },
      ],
      ['x.v', 'y'],
    ],
    [[1, 2], [1, 3], ['.1']],
    [[1], [1, 2], ['']],
  ])('the differences between %j and %j are listed by path', (before, after, paths) => {
    expect(differences(before, after).map(({ path }) => path)).toEqual(paths);
  });
});
