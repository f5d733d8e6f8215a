import { describe, expect, it } from '@jest/globals';
import { unifiedDiff } from '../../../domain/manifests/rendered.js';

describe('a unified diff', () => {
  it.each([
    { name: 'nothing where nothing differs', before: 'a\n', after: 'a\n', diff: '' },
    {
      name: 'an added file',
      before: null,
      after: 'a\nb\n',
      diff: '@@ -0,0 +1,2 @@\n+a\n+b\n',
    },
    { name: 'a removed file', before: 'a\n', after: null, diff: '@@ -1 +0,0 @@\n-a\n' },
    {
      name: 'a changed line between others',
      before: '1\n2\n3\n4\n5\n6\n',
      after: '1\n2\n3\nx\n5\n6\n',
      diff: '@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+x\n 5\n 6\n',
    },
  ])('a unified diff shows $name', ({ before, after, diff }) => {
    expect(unifiedDiff(before, after)).toBe(diff);
  });
});
