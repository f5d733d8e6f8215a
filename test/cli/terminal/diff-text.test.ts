import { describe, expect, it } from '@jest/globals';
import { diffLines, isWholeText } from '../../../cli/terminal/diff-text.js';
import { createTheme } from '../../../cli/terminal/theme.js';

const PLAIN = createTheme({ color: false, ascii: false });

describe('lines of a diff', () => {
  it.each([
    ['without context', false, ['@@ -1,2 +1,2 @@', '-b', '+c']],
    ['with context', true, ['@@ -1,2 +1,2 @@', ' a', '-b', '+c']],
  ])('lines %s', (_name, withContext, lines) => {
    expect(diffLines('@@ -1,2 +1,2 @@\n a\n-b\n+c\n', PLAIN, withContext)).toEqual(lines);
  });

  it('a flag that is removed or added is no header of a file', () => {
    const diff = '---cloud-provider=labcloud\n+--cloud-provider=external\n+++\n';
    expect(diffLines(diff, PLAIN, false)).toEqual(diff.trim().split('\n'));
  });

  it('no line can move the cursor, or be endless', () => {
    const [line = ''] = diffLines(`+\u001b[2J\u202e${'x'.repeat(5_000)}`, PLAIN, false);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(line.length).toBeLessThan(1_100);
  });
});

describe('a whole text', () => {
  it.each([
    ['a new text', '@@ -0,0 +1,2 @@\n+a\n+b\n', true],
    ['a removed text', '@@ -1,2 +0,0 @@\n-a\n-b\n', true],
    ['a change', '@@ -1 +1 @@\n-a\n+b\n', false],
    ['an added line between others', '@@ -1,2 +1,3 @@\n a\n+b\n c\n', false],
  ])('%s', (_name, diff, whole) => {
    expect(isWholeText(diff)).toBe(whole);
  });
});
