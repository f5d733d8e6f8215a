import { describe, expect, it } from '@jest/globals';
import { boundedDiff, redactedDiff, unifiedDiff } from '../../../domain/yaml/redacted-diff.js';

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

it('of texts that have little in common each is shown whole', () => {
  const text = (line: string): string => `${line}\n`.repeat(20_000);
  const lines = unifiedDiff(text('a'), text('b')).split('\n');
  expect(lines.slice(0, 2)).toEqual(['@@ -1,20000 +0,0 @@', '-a']);
  expect(lines.slice(20_001, 20_003)).toEqual(['@@ -0,0 +1,20000 @@', '+b']);
  expect(lines).toHaveLength(40_003);
});

describe('a redacted diff', () => {
  const pod = (value: string, flag: string): string =>
    `env:\n  - name: A\n    value: ${value}\nargs:\n  - --${flag}\n`;

  it('a redacted diff shows the change and no value of an environment variable', () => {
    const before = pod('canary-1', 'leader-elect=true');
    const diff = redactedDiff({ before, after: pod('canary-2', 'leader-elect=false') });
    expect(diff).toContain('-  - --leader-elect=true\n+  - --leader-elect=false\n');
    expect(diff).not.toContain('canary');
  });

  it.each([
    ['a token', 'token=canary-1'],
    ['a password in an address', 'proxy=http://me:canary-1@proxy:8080'],
  ])('a redacted diff shows nothing of %s', (_name, flag) => {
    const diff = redactedDiff({ before: null, after: pod('x', flag) });
    expect(diff).toContain('[redacted]');
    expect(diff).not.toContain('canary');
  });

  it('only a secret differs: nothing is shown', () => {
    expect(redactedDiff({ before: pod('a', 'x'), after: pod('b', 'x') })).toBe('');
  });

  it('a change below a key shows no line of the key that begins further up', () => {
    const lines = ['canary-1', 'canary-2', 'canary-3', 'canary-4'].map((line) => `  ${line}\n`);
    const key = `key: |\n  -----BEGIN PRIVATE KEY-----\n${lines.join('')}  -----END PRIVATE KEY-----\n`;
    const diff = redactedDiff({ before: `${key}a: 1\n`, after: `${key}a: 2\n` });
    expect(diff).toContain('-a: 1\n+a: 2\n');
    expect(diff).not.toContain('canary');
  });

  it('what cannot be read is not shown at all', () => {
    const diff = redactedDiff({ before: null, after: 'a: [canary' });
    expect(diff).toBe('@@ -0,0 +1 @@\n+# [redacted]: not readable as YAML\n');
  });
});

describe('a bounded diff', () => {
  it('several texts follow each other', () => {
    const changes = ['a: 1\n', 'b: 2\n'].map((after) => ({ before: null, after }));
    expect(boundedDiff(changes)).toBe('@@ -0,0 +1 @@\n+a: 1\n@@ -0,0 +1 @@\n+b: 2\n');
  });

  it('is cut after the last line that has room, and says how many are left out', () => {
    const text = `a: ${'x'.repeat(60)}\n`;
    const changes = Array.from({ length: 1_000 }, () => ({ before: null, after: text }));
    const diff = boundedDiff(changes);
    const shown = diff.split('\n').filter((line) => line !== '' && !line.startsWith('!'));
    expect(diff.length).toBeLessThan(33_000);
    expect(diff).toContain(`\n! ${String(2_000 - shown.length)} more lines are left out\n`);
    expect(['@@ -0,0 +1 @@', `+${text.trim()}`]).toContain(shown.at(-1));
  });
});
