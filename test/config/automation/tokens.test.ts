import { describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authenticate, openTokenFile } from '../../../cli/server/token-file.js';
import { readAutomationTokens } from '../../../config/automation/automation-tokens.js';

const NOW = Date.parse('2026-11-24T00:00:00Z');
const sha = (token: string): string => createHash('sha256').update(token).digest('hex');

const entry = (name: string, token: string, expires = '2027-01-01T00:00:00Z') => ({
  ...{ name, sha256: sha(token), expires, clusters: ['*'] },
});

function file(tokens: readonly object[], rest: object = {}): string {
  return JSON.stringify({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AutomationTokens', tokens, ...rest },
  });
}

const problems = (text: string): string => {
  const read = readAutomationTokens(text, NOW);
  return read.kind === 'invalid' ? read.problems.join('\n') : '';
};

describe('a file of tokens', () => {
  it('it is read as a whole: two live entries may share a name, and a pause is the default', () => {
    const text = file([entry('a', '1'), entry('a', '2'), entry('a', '3', '2026-01-01T00:00:00Z')]);
    const read = readAutomationTokens(text, NOW);
    expect(read).toMatchObject({
      kind: 'valid',
      tokens: [{ verbs: ['pause'], fleets: [] }, {}, {}],
    });
  });

  it.each([
    [
      'three live entries of one name',
      file(['1', '2', '3'].map((each) => entry('a', each))),
      'more than 2 live',
    ],
    ['one token under two names', file([entry('a', '1'), entry('b', '1')]), 'given twice'],
    ['an unknown key', file([{ ...entry('a', '1'), verb: ['pause'] }]), 'unknown key'],
    ['a verb of people', file([{ ...entry('a', '1'), verbs: ['resume'] }]), 'tokens.0.verbs.0'],
    ['no expiry', file([{ ...entry('a', '1'), expires: undefined }]), 'tokens.0.expires'],
    [
      'a token in the place of its digest',
      file([{ ...entry('a', '1'), sha256: 'secret-token' }]),
      '64',
    ],
    ['two documents', 'a: 1\n---\nb: 2', 'one document'],
    ['no YAML', 'a: [', '1:'],
    ['a bomb', '['.repeat(300), 'nested'],
    ['a larger one than any', ' '.repeat(70_000), 'characters'],
  ])('%s is refused, and no value is quoted', (_what, text, words) => {
    expect(problems(text)).toContain(words);
    expect(problems(text)).not.toContain('secret-token');
  });

  it('who calls is told by the digest, and a token counts until it expires', () => {
    const read = readAutomationTokens(file([entry('a', 'one'), entry('b', 'two')]), NOW);
    const tokens = read.kind === 'valid' ? read.tokens : [];
    const by = (header: string | undefined, atMs = NOW) => authenticate(header, tokens, atMs);
    expect(by('Bearer two')).toMatchObject({ kind: 'known', token: { name: 'b' } });
    expect(by('bearer one')).toMatchObject({ token: { name: 'a' } });
    expect(by('Bearer three')).toMatchObject({ reason: 'unknown' });
    expect(by(`Bearer ${sha('one')}`)).toMatchObject({ reason: 'unknown' });
    expect(by('Basic one')).toMatchObject({ reason: 'missing' });
    expect(by(undefined)).toMatchObject({ reason: 'missing' });
    expect(by('Bearer one', NOW + 365 * 86_400_000)).toMatchObject({ reason: 'expired' });
  });

  it('it is read again on change, keeps what was read while it is wrong, and no one else may read it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-tokens-'));
    const path = join(folder, 'tokens.yaml');
    try {
      await writeFile(path, file([entry('a', '1')]), { mode: 0o600 });
      await chmod(path, 0o604);
      await expect(openTokenFile(path, () => NOW)).rejects.toThrow('others may read it');
      await chmod(path, 0o620);
      await expect(openTokenFile(path, () => NOW)).rejects.toThrow('group may write it');
      await chmod(path, 0o640);
      const opened = await openTokenFile(path, () => NOW);
      const names = async () => (await opened.now()).map(({ name }) => name);
      expect(await names()).toEqual(['a']);
      await writeFile(path, file([entry('a', '1'), entry('longer', '2')]));
      expect(await names()).toEqual(['a', 'longer']);
      await writeFile(path, '{');
      expect(await names()).toEqual(['a', 'longer']);
      expect(opened.problem()).toContain('tokens.yaml: ');
      await writeFile(path, file([entry('c', '3')]));
      expect(await names()).toEqual(['c']);
      expect(opened.problem()).toBeNull();
      await expect(openTokenFile(join(folder, 'none'), () => NOW)).rejects.toThrow('no such file');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
