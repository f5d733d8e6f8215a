import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEnvelope } from '../../../activities/authority/signed-statement.js';
import { sealedCommand } from '../../../cli/authority/sign-requests.js';
import { readSigner, type Signer, signerFor } from '../../../cli/authority/signing-key.js';
import { optionReader } from '../../../cli/cli.js';
import type { TokenIssuer } from '../../../domain/authority/access-policy.js';
import { oidcKeyId } from '../../../domain/authority/access-policy.js';
import { wholeStatement } from '../../../domain/authority/statement.js';
import { accessPolicy, ISSUER } from '../../support/signing.js';
import { issuerOf, newIssuerKey, type Says, tokenOf } from '../../support/token-issuer.js';
import { fakeTerminal, ran } from '../fake-terminal.js';
import { tokenCommandIn } from './token-command.js';

const KEY = newIssuerKey('k', 'ES256');
const SUBJECT = 'system:serviceaccount:ops:migrator';
const NOW = Math.floor(Date.now() / 1000);
const STATEMENT = wholeStatement({
  ...{ verb: 'apply', workflowId: 'w', nonce: 'n', notBefore: NOW, notAfter: NOW + 3600 },
});
const FOR_OTHERS: Says = {
  ...{ iss: ISSUER, sub: SUBJECT, aud: 'sts.example', iat: NOW, exp: NOW + 300 },
};

/** A test that waits longer has not given up, or was not interrupted. */
const SOON_MS = 10_000;

let folder: string;
let command: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-tokens-'));
  command = await tokenCommandIn(folder, KEY, { iss: ISSUER, sub: SUBJECT });
});
afterAll(() => rm(folder, { recursive: true }));

interface Run {
  readonly withinMs?: number;
  readonly signal?: AbortSignal | null;
}

const env = { PATH: process.env['PATH'] ?? '' };

const signerBy = (given: string, { withinMs = 20_000, signal = null }: Run = {}): Promise<Signer> =>
  readSigner(`oidc::${given}`, {
    ...{ socketPath: '', withinMs, signal, tell: () => undefined, env },
  });

async function failureOf(given: string, how: Run = {}): Promise<unknown> {
  const signer = await signerBy(given, how);
  return signer.sign(STATEMENT).then(
    () => 'signed',
    (error: unknown) => error,
  );
}

function trusting(issuer: TokenIssuer) {
  const keyId = oidcKeyId(ISSUER, SUBJECT);
  const keys = [{ keyId, revoked: false, oidc: { issuer, subject: SUBJECT } }];
  return accessPolicy([
    { name: 'ci', keys, grants: [{ roles: ['requester'], clusters: {}, fleets: null }] },
  ]);
}

describe('a command that prints tokens', () => {
  it('signs what workers and audits accept as of its principal', async () => {
    const policy = trusting(issuerOf(ISSUER, [KEY]));
    const envelope = await (await signerBy(command)).sign(STATEMENT);
    expect(openEnvelope(policy, envelope)).toMatchObject({
      ...{ kind: 'signed', statement: STATEMENT, by: { name: 'ci' }, isRevoked: false },
    });
    const other = await (await signerBy(command)).sign({ ...STATEMENT, nonce: 'm' });
    const { payload } = envelope;
    expect(openEnvelope(policy, { ...other, payload })).toEqual({
      ...{ kind: 'refused', why: 'its token is for another statement' },
    });
  });

  it('may put the statement into the nonce', async () => {
    const claims = { iss: ISSUER, sub: SUBJECT, aud: 'ci' };
    const made = await tokenCommandIn(folder, KEY, claims, 'nonce');
    const envelope = await (await signerBy(made)).sign(STATEMENT);
    expect(openEnvelope(trusting(issuerOf(ISSUER, [KEY], ['ci'])), envelope).kind).toBe('signed');
    expect(openEnvelope(trusting(issuerOf(ISSUER, [KEY])), envelope).kind).toBe('refused');
  });

  it('is a line for the shell, with quotes and pipes', async () => {
    const signer = await signerBy(`A='a  b' && test "$A" = 'a  b' && ${command} | cat`);
    expect(await signer.sign(STATEMENT)).toHaveProperty('signatures');
  });

  it('has no stderr, where its requests would be shown', async () => {
    const signer = await signerBy(`test /dev/fd/2 -ef /dev/null && ${command}`);
    expect(await signer.sign(STATEMENT)).toHaveProperty('signatures');
  });

  it('is not run for a brake, which waits for no one, nor before there is something to sign', async () => {
    const file = join(folder, 'ran');
    const signer = await signerBy(`echo > '${file}'; ${command}`);
    const run = { workflowId: 'w', runId: 'r', planDigest: '' };
    const order = { commandId: 'c', arguments: {}, actor: 'ci', reason: 'r', ticket: '' };
    const pause = await sealedCommand(signer, run, { ...order, verb: 'pause' });
    expect(pause).not.toHaveProperty('signed');
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    const resume = await sealedCommand(signer, run, { ...order, verb: 'resume' });
    expect(resume).toHaveProperty('signed');
    await expect(readFile(file)).resolves.toBeDefined();
  });

  it.each<[string, (good: string) => string, string]>([
    ['prints nothing', () => 'true', 'printed no token that signs: it must print one ID token'],
    ['prints two', (good) => `${good}; ${good}`, 'printed no token that signs'],
    ['prints something before it', (good) => `echo hello; ${good}`, 'printed no token that signs'],
    ['prints an error page', () => `echo '{"message":"hidden"}'`, 'printed no token that signs'],
    ['prints too much', () => 'cat /dev/zero', 'printed more than any token is long'],
    [
      'prints one for others',
      () => `echo ${tokenOf(KEY, FOR_OTHERS)}`,
      'a token for something else, and nothing',
    ],
    ['fails', () => 'echo hidden >&2; exit 3', 'ended with 3: run it by hand'],
    ['fails after it', (good) => `${good}; exit 1`, 'ended with 1'],
    ['is not installed', () => 'no-such-program-hidden', 'ended with 127'],
    ['is killed', () => 'kill -9 $$', 'ended with SIGKILL'],
    ['is no line of a shell', () => '"hidden', 'ended with 2'],
  ])('that %s sends nothing, and no secret of it is told', async (_, given, why) => {
    const failed = await failureOf(given(command));
    expect(failed).toMatchObject({ name: 'WrongUsage', message: expect.stringContaining(why) });
    expect(String(failed)).not.toMatch(/hidden|eyJ/);
  });

  it(
    'that says nothing is given up in time, with all that it started',
    async () => {
      const said = join(folder, 'pids');
      const waits = `echo $$ > '${said}'; sleep 1000 | cat`;
      expect(await failureOf(waits, { withinMs: 300 })).toMatchObject({
        message: expect.stringContaining('printed no token within 0.3 s'),
      });
      const group = Number(await readFile(said, 'utf8'));
      expect(() => process.kill(group, 0)).toThrow('ESRCH');
    },
    SOON_MS,
  );

  it(
    'is ended where its person interrupts',
    async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const watcher = watch(folder);
      const begun = once(watcher, 'change');
      const failed = failureOf(`echo > '${join(folder, 'begun')}'; sleep 1000`, { signal });
      await begun;
      controller.abort(new Error('interrupted'));
      expect(await failed).toMatchObject({ message: 'interrupted' });
      watcher.close();
      expect(await failureOf(command, { signal })).toMatchObject({ message: 'interrupted' });
    },
    SOON_MS,
  );

  it('is named by the environment, which it is given', async () => {
    const { signal } = new AbortController();
    const options = optionReader({});
    const named = { ...env, TOKEN: command, CCM_MIGRATE_KEY: 'oidc::eval "$TOKEN"' };
    const cli = { options, env: named, terminal: fakeTerminal(), signal };
    const signer = await signerFor(cli, 'resume');
    expect(await signer?.sign(STATEMENT)).toHaveProperty('signatures');
  });

  it.each([
    [60_000, true],
    [250, false],
  ])('that may take %i ms is told of before it is run: %j', async (withinMs, isTold) => {
    const said: string[] = [];
    const marker = join(folder, `told-${String(withinMs)}`);
    const signer = await readSigner(`oidc::echo > '${marker}'; exit 1`, {
      ...{ socketPath: '', withinMs, signal: null, env },
      tell: (text) => said.push(`${text}${String(existsSync(marker))}`),
    });
    await expect(signer.sign({ ...STATEMENT, actor: 'ana\u001b[2J' })).rejects.toThrow();
    const line =
      /^waiting for the command of an oidc key to print the ID token that signs apply of w for ana\P{Cc}*: 60 s at most, Ctrl-C ends it and sends nothing\nfalse$/u;
    expect(said).toEqual(isTold ? [expect.stringMatching(line)] : []);
  });

  it('has no key to print, and the command line says what to write', async () => {
    const said = await ran(['access', 'key', 'oidc::true'], { terminal: fakeTerminal({}), env });
    expect(said.exit).not.toBe(0);
    expect(said.stderr).toContain('write `oidc: { issuer: https://…, subject: … }`');
  });
});
