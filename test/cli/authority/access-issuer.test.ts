import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readAccessPolicy } from '../../../config/access/access-policy-file.js';
import { ISSUER } from '../../support/signing.js';
import { newIssuerKey } from '../../support/token-issuer.js';
import { fakeTerminal, ran, type Ran } from '../fake-terminal.js';
import { checkedDocument } from './checked-document.js';

const SUBJECT = 'repo:example/clusters:environment:production';
const [RSA, EC, OKP] = [
  newIssuerKey('r', 'RS256'),
  newIssuerKey('e', 'ES256'),
  newIssuerKey('o', 'EdDSA'),
];
const EXTRAS = { x5t: 'abc', x5c: ['MIIC'], 'x5t#S256': 'abc', issuer: ISSUER };
const WHOSE = ['--issuer', ISSUER, '--subject', SUBJECT, '--principal', 'ci'] as const;

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-issuer-'));
  file = join(folder, 'jwks.json');
});
afterAll(() => rm(folder, { recursive: true }));

async function given(text: string, ...flags: readonly string[]): Promise<Ran> {
  await writeFile(file, text);
  return ran(['access', 'issuer', file, ...(flags.length === 0 ? WHOSE : flags)], {
    terminal: fakeTerminal({}),
  });
}
const jwksOf = (...keys: readonly unknown[]): string => JSON.stringify({ keys });

/** What was printed, under the spec of a policy, with grants where it asks for them. */
function policyWith(printed: string): ReturnType<typeof readAccessPolicy> {
  const spec = printed.replace(/grants: \[\].*/, 'grants: [{ roles: [requester] }]');
  const lines = spec.split('\n').map((line) => `  ${line}`);
  const head = 'apiVersion: ccm-migrate.dev/v1alpha1\nkind: AccessPolicy\nmetadata: { name: p }\n';
  return readAccessPolicy(`${head}spec:\n  version: 1\n${lines.join('\n')}`);
}

describe('access issuer', () => {
  it('prints what a policy takes, without what says nothing of a key', async () => {
    const text = jwksOf({ ...RSA.jwk, ...EXTRAS }, EC.jwk, OKP.jwk);
    const { exit, stdout } = await given(text);
    expect(exit).toBe(0);
    expect(stdout).not.toContain('"x5');
    const read = policyWith(stdout);
    if (read.kind === 'invalid') throw new Error(read.problems.join());
    const [principal] = read.policy.principals;
    const keys = [RSA, EC, OKP].map(({ kid, algorithm, spki }) => ({ kid, algorithm, spki }));
    expect(principal).toMatchObject({
      name: 'ci',
      keys: [{ oidc: { subject: SUBJECT, issuer: { issuer: ISSUER, keys } } }],
    });
    // Whom it may ask for what, no file of an issuer says.
    expect(readAccessPolicy(stdout).kind).toBe('invalid');
  });

  it('prints the keys that are named alone, and the same as a document', async () => {
    const { stdout } = await given(jwksOf(RSA.jwk, EC.jwk), ...WHOSE, '--kid', 'e');
    expect(stdout).toContain('"kid":"e"');
    expect(stdout).not.toContain('"kid":"r"');
    const document = await checkedDocument('access', 'issuer', file, ...WHOSE, '--kid', 'e');
    expect(document).toMatchObject({
      issuer: { issuer: ISSUER, keys: [{ kid: 'e', kty: 'EC' }] },
      principal: { name: 'ci', keys: [{ oidc: { issuer: ISSUER, subject: SUBJECT } }] },
    });
  });

  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
  it.each<[string, string, string]>([
    ['a private member', jwksOf({ ...EC.jwk, d: 'hidden' }), 'part of a private key'],
    ['a symmetric key', jwksOf({ kid: 's', kty: 'oct' }), 'this is a secret key'],
    ['the secret of one', jwksOf({ kid: 's', kty: 'oct', k: 'hidden' }), 'part of a private key'],
    ['a short key', jwksOf({ ...short.export({ format: 'jwk' }), kid: 's' }), '2048 to 8192 bits'],
    ['another algorithm', jwksOf({ ...RSA.jwk, alg: 'RS512' }), 'keys.0.alg'],
    ['a key for encryption', jwksOf({ ...RSA.jwk, use: 'enc' }), 'keys.0.use'],
    ['a key without a name', jwksOf({ ...RSA.jwk, kid: undefined }), 'keys.0.kid'],
    ['one name twice', jwksOf(RSA.jwk, { ...EC.jwk, kid: 'r' }), 'one kid is given twice'],
    ['one key twice', jwksOf(RSA.jwk, { ...RSA.jwk, kid: 's' }), 'one key has two names'],
    ['a member twice', jwksOf(EC.jwk).replace('"kty":', '"kty":"oct","kty":'), 'it is not YAML'],
    ['no keys', '{"keys":[]}', 'keys'],
    ['no set', JSON.stringify(RSA.jwk), 'keys'],
    ['what is too deep', `{"keys":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, ''],
    ['what is too long', jwksOf({ ...RSA.jwk, x: 'x'.repeat(1_100_000) }), 'larger than 1 MiB'],
  ])('refuses %s, and quotes nothing', async (_, text, why) => {
    const { exit, stdout, stderr } = await given(text);
    expect([exit === 0, stdout]).toEqual([false, '']);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('hidden');
  });

  it('refuses a private half that is not asked for, too: the file is not for others', async () => {
    const text = jwksOf(RSA.jwk, { ...EC.jwk, d: 'hidden' });
    expect((await given(text, ...WHOSE, '--kid', 'r')).stderr).toContain('part of a private key');
    expect((await given(jwksOf(RSA.jwk), ...WHOSE, '--kid', 'x')).stderr).toContain('no key x');
  });

  it.each([
    [['--issuer', 'http://i.example', '--subject', 's', '--principal', 'ci'], 'https://'],
    [['--issuer', ISSUER, '--subject', 'ä', '--principal', 'ci'], 'subject'],
    [['--issuer', ISSUER, '--subject', 's', '--principal', 'a b'], 'principal'],
    [['--issuer', ISSUER, '--subject', 's'], '--principal is required'],
  ])('refuses %j', async (flags, why) => {
    const { exit, stderr } = await given(jwksOf(RSA.jwk), ...flags);
    expect([exit === 0, stderr]).toEqual([false, expect.stringContaining(why)]);
    expect(await readFile(file, 'utf8')).toBe(jwksOf(RSA.jwk));
  });
});
