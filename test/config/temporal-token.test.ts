import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { followToken, readToken } from '../../config/temporal-token.js';

let folder: string;
let path: string;
let leave: () => void = () => undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-token-'));
  path = join(folder, 'token');
});
afterEach(async () => {
  leave();
  await rm(folder, { recursive: true });
});

describe('a file with a token', () => {
  it.each([
    { holds: 'a line', text: 'eyJh.eyJz.c2ln\n', token: 'eyJh.eyJz.c2ln' },
    { holds: 'blanks around it', text: ' \n eyJh \n', token: 'eyJh' },
  ])('may hold $holds', async ({ text, token }) => {
    await writeFile(path, text);
    expect(await readToken(path)).toBe(token);
  });

  it.each([
    { holds: 'nothing', text: '\n' },
    { holds: 'two of them', text: 'eyJh eyJi' },
    { holds: 'control characters', text: 'canary\u0007' },
    { holds: 'more than a header may', text: 'canary'.repeat(11_000) },
  ])('is refused with $holds, and not quoted', async ({ text }) => {
    await writeFile(path, text);
    const refused = readToken(path);
    await expect(refused).rejects.toThrow(`token file ${path}: `);
    await expect(refused).rejects.not.toThrow('canary');
  });

  it('is refused when it is not there', async () => {
    await expect(readToken(path)).rejects.toThrow(`token file ${path}: `);
  });
});

describe('a token that is followed', () => {
  /** What happens next: a new token, or why there is none. */
  function next(first: string, happen: () => Promise<void>): Promise<string> {
    return new Promise((resolve, reject) => {
      const everyMs = 5;
      leave = followToken(path, { first, replace: resolve, unreadable: resolve, everyMs });
      happen().catch(reject);
    });
  }

  it('is replaced by another one, and not by itself', async () => {
    await writeFile(path, 'first');
    expect(await next('first', () => writeFile(path, 'second'))).toBe('second');
  });

  it('stays when its file goes away, which is told', async () => {
    await writeFile(path, 'first');
    expect(await next('first', () => rm(path))).toContain(`token file ${path}: `);
  });

  it('stays when the connection does not take the next one, and is tried again', async () => {
    await writeFile(path, 'second');
    const given: string[] = [];
    await new Promise<void>((resolve) => {
      const replace = (token: string): void => {
        given.push(token);
        if (given.length === 2) resolve();
        else throw new Error('the connection is away');
      };
      leave = followToken(path, {
        first: 'first',
        replace,
        unreadable: () => undefined,
        everyMs: 5,
      });
    });
    expect(given).toEqual(['second', 'second']);
  });
});
