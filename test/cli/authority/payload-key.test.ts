import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { jsonSchemaOf } from '../../../config/json-schemas.js';
import { readPayloadKeys } from '../../../config/payload-keys.js';
import { ran } from '../fake-terminal.js';
import { invocationOf } from '../typed-line.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-payload-key-'));
  file = join(folder, 'payload.keys');
});
afterEach(() => rm(folder, { recursive: true }));

const add = (...words: readonly string[]) => ran(['access', 'payload-key', file, ...words]);
const ids = async (): Promise<readonly string[]> => [...(await readPayloadKeys(file)).byId.keys()];

describe('access payload-key', () => {
  it('makes a file that only its user reads, and says who needs it', async () => {
    const { exit, stdout } = await add();
    expect([exit, stdout]).toEqual([0, expect.stringContaining('CCM_MIGRATE_PAYLOAD_KEYS')]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await ids()).toEqual([expect.stringMatching(/^k-\d{4}-\d{2}-\d{2}$/)]);
    const [, key = ''] = (await readFile(file, 'utf8')).trim().split(' ');
    expect(stdout).not.toContain(key);
  });

  it('adds a key below, which encrypts once it is used', async () => {
    await add('--id', 'k-1');
    const { stdout } = await add('--id', 'k-2');
    expect(stdout).toContain(`access payload-key ${file} --use k-2`);
    expect(await ids()).toEqual(['k-1', 'k-2']);
    const before = (await readPayloadKeys(file)).byId.get('k-1')?.key.export();
    const used = await add('--use', 'k-2', '-o', 'json');
    const document = JSON.parse(used.stdout) as object;
    const check = new Ajv({ strict: false }).compile(jsonSchemaOf('PayloadKeyFile'));
    expect([check(document), check.errors]).toEqual([true, null]);
    expect(document).toMatchObject({ id: 'k-2', current: 'k-2', keys: ['k-2', 'k-1'] });
    expect(await ids()).toEqual(['k-2', 'k-1']);
    expect((await readPayloadKeys(file)).byId.get('k-1')?.key.export()).toEqual(before);
    expect((await add('--use', 'k-2')).stdout).toContain('it encrypts with k-2 now');
    expect(await readdir(folder)).toEqual(['payload.keys']);
  });

  it('the command that it shows can be typed as it stands, whatever the file is called', async () => {
    const odd = join(folder, "Ana's keys");
    await ran(['access', 'payload-key', odd, '--id', 'k-1']);
    const { stdout } = await ran(['access', 'payload-key', odd, '--id', 'k-2']);
    const shown = /then (ccm-migrate .*)$/m.exec(stdout)?.[1] ?? '';
    expect((await invocationOf(shown))?.arguments).toEqual([odd]);
  });

  it('keeps what people wrote beside the keys', async () => {
    await add('--id', 'k-1');
    const line = (await readFile(file, 'utf8')).trim();
    await writeFile(file, `# of production\n${line}`);
    await add('--id', 'k-2');
    await add('--use', 'k-2');
    expect(await ids()).toEqual(['k-2', 'k-1']);
    expect(await readFile(file, 'utf8')).toContain('# of production\n');
  });

  it.each<[string, readonly string[], string]>([
    ['an id twice', ['--id', 'k-1'], 'has a key k-1 already'],
    ['an id with a space', ['--id', 'k 2'], 'letters, digits'],
    ['a key that is not there', ['--use', 'k-9'], 'has k-1'],
  ])('refuses %s, and leaves the file', async (_what, words, said) => {
    await add('--id', 'k-1');
    const before = await readFile(file, 'utf8');
    const { exit, stderr } = await add(...words);
    expect([exit, stderr]).toEqual([64, expect.stringContaining(said)]);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('leaves a file that is none of keys, and quotes nothing of it', async () => {
    await writeFile(file, 'secret\n', { mode: 0o600 });
    const { exit, stderr } = await add();
    expect([exit, stderr]).toEqual([64, expect.stringContaining('line 1')]);
    expect(stderr).not.toContain('secret');
    expect(await readFile(file, 'utf8')).toBe('secret\n');
  });
});
