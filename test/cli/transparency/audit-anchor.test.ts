import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { readSigningKey } from '../../../config/access/signing-key-file.js';
import { jsonSchemaOf } from '../../../config/json-schemas.js';
import { openLog } from '../../../cli/transparency/anchor-log.js';
import { fakeTerminal, ran } from '../fake-terminal.js';

const ORIGIN = 'logs.example.com/ccm-migrate';

let root: string;
let log: string;
let key: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccm-migrate-anchor-verb-'));
  [log, key] = [join(root, 'log'), join(root, 'log.key')];
});
afterEach(() => rm(root, { recursive: true }));

const anchor = (...words: readonly string[]) =>
  ran(['audit', 'anchor', '--log', log, '--log-key', key, ...words]);

describe('audit anchor --init', () => {
  it('begins a log with a key of its own, and says how audits come to trust it', async () => {
    const { exit, stdout } = await anchor('--init', ORIGIN);
    const { publicKey } = await readSigningKey(key);
    expect(exit).toBe(0);
    expect(stdout).toContain(`- origin: ${ORIGIN}\n      keys: [{ed25519: ${publicKey}}]`);
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    expect((await openLog(log, await readSigningKey(key))).entries).toEqual([]);
  });

  it('takes a key that is there, and prints a document', async () => {
    await ran(['audit', 'anchor', '--log', join(root, 'x'), '--log-key', key, '--init', 'other']);
    const before = await readFile(key, 'utf8');
    const { stdout } = await anchor('--init', ORIGIN, '-o', 'json');
    expect(await readFile(key, 'utf8')).toBe(before);
    const check = new Ajv({ strict: false }).compile(jsonSchemaOf('AuditLog'));
    const document = JSON.parse(stdout) as object;
    expect([check(document), check.errors]).toEqual([true, null]);
    expect(document).toMatchObject({ log: ORIGIN, verifierKey: expect.stringContaining('+') });
  });

  it('overwrites no log', async () => {
    await anchor('--init', ORIGIN);
    const { exit, stderr } = await anchor('--init', ORIGIN);
    expect([exit, stderr]).toEqual([1, expect.stringContaining(`there is a log in ${log}`)]);
  });
});

describe('audit anchor', () => {
  it.each<[string, readonly string[], number, string]>([
    ['no folder', ['--log-key', 'k'], 64, '--log is required'],
    ['no key', ['--log', 'l'], 64, '--log-key is required'],
    ['a name with a space', ['--log', 'l', '--log-key', 'k', '--init', 'a b'], 64, '--init a b: a'],
    ['a key that is not there', ['--log', 'l', '--log-key', '/nonexistent'], 1, 'signing key'],
  ])('does nothing with %s', async (_what, words, exit, said) => {
    const done = await ran(['audit', 'anchor', ...words]);
    expect([done.exit, done.stderr]).toEqual([exit, expect.stringContaining(said)]);
  });

  it('asks no authority whose address is none', async () => {
    await anchor('--init', ORIGIN);
    const { exit, stderr } = await anchor('--timestamp', 'authority.example.com');
    expect([exit, stderr]).toEqual([64, expect.stringContaining('--timestamp takes the http://')]);
  });

  it('writes no documents without end', async () => {
    await anchor('--init', ORIGIN);
    const { exit, stderr } = await anchor('--every', '1s', '-o', 'json');
    expect([exit, stderr]).toEqual([64, expect.stringContaining('leave -o out')]);
  });

  it('is delayed while the server is away, says so each time, and ends when it is stopped', async () => {
    await anchor('--init', ORIGIN);
    const [terminal, stop] = [fakeTerminal(), new AbortController()];
    const words = ['--log', log, '--log-key', key, '--every', '1s', '--address', '127.0.0.1:1'];
    const running = ran(['audit', 'anchor', ...words], { terminal, signal: stop.signal });
    const delays = (): number => terminal.stderr().split(' delayed: ').length - 1;
    while (delays() < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(terminal.stderr()).toContain('UNAVAILABLE');
    stop.abort();
    expect((await running).exit).toBe(0);
    expect((await openLog(log, await readSigningKey(key))).entries).toEqual([]);
  });
});
