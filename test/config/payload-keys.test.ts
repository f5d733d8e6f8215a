import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPayloadKeyId, newPayloadKeyLine, readPayloadKeys } from '../../config/payload-keys.js';

const KEY = Buffer.alloc(32, 7).toString('base64');

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-keys-'));
  file = join(folder, 'payload.keys');
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string, mode = 0o600) {
  await writeFile(file, text);
  await chmod(file, mode);
  return readPayloadKeys(file);
}

describe('a file of payload keys', () => {
  it('has the newest first, which encrypts', async () => {
    const keys = await read(`# since November\n${newPayloadKeyLine('k-2')}\r\nk-1 ${KEY}\n\n`);
    expect(keys.current.id).toBe('k-2');
    expect([...keys.byId.keys()]).toEqual(['k-2', 'k-1']);
    expect(keys.byId.get('k-1')?.key.export()).toEqual(Buffer.alloc(32, 7));
    expect(keys.current.key.symmetricKeySize).toBe(32);
  });

  it('never gets the same key twice', () => {
    expect(newPayloadKeyLine('k')).not.toBe(newPayloadKeyLine('k'));
  });

  it.each<[string, string, string]>([
    ['no key', '# nothing\n', 'it has no key'],
    ['one id twice', `k ${KEY}\nk ${KEY}\n`, 'k is there twice'],
    ['a short key', `k ${KEY.slice(4)}\n`, 'line 1: write an id, a space, and 32 random bytes'],
    ['a long key', `# x\nk ${Buffer.alloc(33).toString('base64')}\n`, 'line 2: write'],
    ['no id', `${KEY}\n`, 'line 1: write'],
    ['an id with a slash', `a/b ${KEY}\n`, 'line 1: write'],
    ['more than any file of keys', '#'.repeat(65 * 1024), 'larger than 64 KiB'],
  ])('is refused with %s, and not quoted', async (_what, text, words) => {
    const refused = read(text);
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.not.toThrow(KEY.slice(0, 12));
  });

  it.each([0o640, 0o604, 0o660])('is refused where others may read it: %o', async (mode) => {
    await expect(read(`k ${KEY}\n`, mode)).rejects.toThrow('others may read it: chmod 0600');
  });

  it('is refused where it is not there', async () => {
    await expect(readPayloadKeys(join(folder, 'missing'))).rejects.toThrow('payload keys ');
  });

  it.each<[string, boolean]>([
    ['k-2026-11', true],
    ['', false],
    ['two words', false],
    ['x'.repeat(65), false],
  ])('names keys such as %j: %s', (id, isId) => {
    expect(isPayloadKeyId(id)).toBe(isId);
  });
});
