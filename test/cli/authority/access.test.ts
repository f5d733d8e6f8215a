import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { optionReader } from '../../../cli/cli.js';
import { ownAccess } from '../../../cli/authority/own-access.js';
import { readSigner, signerFor } from '../../../cli/authority/signing-key.js';
import { newSigningKey, readSigningKey } from '../../../config/access/signing-key-file.js';
import { oidcKeyId, workerOfKey } from '../../../domain/authority/access-policy.js';
import { openEnvelope } from '../../../activities/authority/signed-statement.js';
import { readAccessPolicy } from '../../../config/access/access-policy-file.js';
import { wholeStatement } from '../../../domain/authority/statement.js';
import { INVENTORY } from '../../config/given-files.js';
import { ISSUER } from '../../support/signing.js';
import { newIssuerKey } from '../../support/token-issuer.js';
import { fakeTerminal, ran } from '../fake-terminal.js';
import { checkedDocument } from './checked-document.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-access-'));
});
afterEach(() => rm(folder, { recursive: true }));

const typed = (...words: readonly string[]) => ran(words, { terminal: fakeTerminal({}) });

describe('access init', () => {
  it('writes a key that only its owner reads, and a policy that trusts it', async () => {
    const said = await typed('access', 'init', folder, '--actor', 'ana@example.com');
    expect(said).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('Next: give policy and worker key'),
    });
    const [key, policy] = [join(folder, 'signing.key'), join(folder, 'access-policy.yaml')];
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    const read = readAccessPolicy(await readFile(policy, 'utf8'));
    if (read.kind === 'invalid') throw new Error(read.problems.join());
    expect((await stat(join(folder, 'worker.key'))).mode & 0o777).toBe(0o600);
    const { keyId } = await readSigningKey(join(folder, 'worker.key'));
    expect(workerOfKey(read.policy, keyId)?.worker.name).toBe('workers');
    const signer = await readSigner(key);
    const statement = wholeStatement({
      ...{ verb: 'apply', workflowId: 'w', nonce: 'n', notBefore: 1, notAfter: 2 },
    });
    expect(openEnvelope(read.policy, await signer.sign(statement))).toMatchObject({
      ...{ kind: 'signed', statement, by: { name: 'ana@example.com' } },
    });
  });

  it('trusts a key that is named, and makes none of its own', async () => {
    const other = join(folder, 'other');
    await typed('access', 'init', other);
    const key = join(other, 'signing.key');
    const line = await checkedDocument('access', 'key', key);
    const files = await checkedDocument('access', 'init', folder, '--key', key);
    expect(files['signingKey']).toBe(key);
    expect(existsSync(join(folder, 'signing.key'))).toBe(false);
    const policy = await readFile(join(folder, 'access-policy.yaml'), 'utf8');
    expect(policy).toContain(`- ed25519: ${String(line['ed25519'])}\n`);
    const none = await typed(
      'access',
      'init',
      join(folder, 'new'),
      '--key',
      join(folder, 'no.pub'),
    );
    expect(none.exit).not.toBe(0);
    expect(none.stderr).toContain('no.pub: there is no such file');
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });

  it('overwrites nothing', async () => {
    await typed('access', 'init', folder);
    const before = await readFile(join(folder, 'signing.key'), 'utf8');
    const again = await typed('access', 'init', folder);
    expect(again.exit).not.toBe(0);
    expect(again.stderr).toContain('nothing that exists is overwritten');
    expect(await readFile(join(folder, 'signing.key'), 'utf8')).toBe(before);
  });
});

describe('the keys of dev and the demos', () => {
  it('gain one for workers in a folder of an older version, and keep those of people', async () => {
    const files = await ownAccess(folder);
    const now = await readFile(files.accessPolicy, 'utf8');
    const workerKey = String(files.workerKey);
    await rm(workerKey);
    const older = now.replace(/ {2}# Workers sign[^]*$/, '');
    await writeFile(files.accessPolicy, older);
    const key = await readFile(files.signingKey, 'utf8');
    const again = await ownAccess(folder);
    const text = await readFile(again.accessPolicy, 'utf8');
    expect(text.startsWith(older)).toBe(true);
    expect(await readFile(again.signingKey, 'utf8')).toBe(key);
    const read = readAccessPolicy(text);
    if (read.kind === 'invalid') throw new Error(read.problems.join());
    const { keyId } = await readSigningKey(workerKey);
    expect(workerOfKey(read.policy, keyId)?.worker.name).toBe('workers');
    // A policy that names workers already is theirs who wrote it.
    await rm(workerKey);
    expect(await ownAccess(folder)).not.toHaveProperty('workerKey');
    expect(await readFile(again.accessPolicy, 'utf8')).toBe(text);
  });
});

describe('access check and explain', () => {
  it('say what a policy says, as text and as a document', async () => {
    const first = await checkedDocument('access', 'init', folder, '--actor', 'ana');
    const policy = String(first['accessPolicy']);
    expect(await typed('access', 'check', policy)).toMatchObject({
      ...{ exit: 0, stdout: expect.stringContaining('version 1, 1 principal') },
    });
    expect(await checkedDocument('access', 'check', policy)).toMatchObject({ principals: ['ana'] });
    const said = await typed('access', 'explain', policy, '--cluster', 'prod-1');
    expect(said.stdout).toContain('ana: requester, approver, operator, automation, breakGlass');
    expect(said.stdout).toContain('apply: as requester');
    const explained = await checkedDocument('access', 'explain', policy, '--fleet', 'eu');
    expect(explained).toMatchObject({ fleet: 'eu', principals: [{ principal: 'ana' }] });
  });

  it('say how many must approve a handover, and who may on this cluster', async () => {
    const policy = String(
      (await checkedDocument('access', 'init', folder, '--actor', 'ana'))['accessPolicy'],
    );
    const { signingKey } = await checkedDocument(
      'access',
      'init',
      join(folder, 'ben'),
      '--actor',
      'ben',
    );
    const { ed25519 } = await checkedDocument('access', 'key', String(signingKey));
    const ben = `    - name: ben\n      keys: [{ ed25519: ${String(ed25519)} }]\n      grants:\n        - { roles: [approver], clusters: { names: [prod-1] } }\n`;
    const text = (await readFile(policy, 'utf8'))
      .replace('spec:\n', 'spec:\n  handoverQuorum: 2\n')
      .replace('  workers:\n', `${ben}  workers:\n`);
    await writeFile(policy, text);
    const checked = await typed('access', 'check', policy);
    expect(checked.stdout).toContain('a handover takes approvals of 2 people');
    expect(await checkedDocument('access', 'check', policy)).toMatchObject({ handoverQuorum: 2 });
    const here = await typed('access', 'explain', policy, '--cluster', 'prod-1');
    expect(here.stdout).toContain('✔ a handover takes approvals of 2 people: here ana, ben may');
    const there = await typed('access', 'explain', policy, '--cluster', 'prod-2');
    expect(there.stdout).toContain('✖ a handover takes approvals of 2 people: here ana may');
    expect(await checkedDocument('access', 'explain', policy, '--cluster', 'prod-2')).toMatchObject(
      {
        handover: { quorum: 2, approvers: ['ana'] },
      },
    );
  });

  it('say whose tokens sign for whom', async () => {
    const path = join(folder, 'tokens.yaml');
    const issuer = { issuer: ISSUER, keys: [newIssuerKey('k', 'ES256').jwk] };
    const keys = ['repo:a', 'repo:b'].map((subject) => ({ oidc: { issuer: ISSUER, subject } }));
    const revoked = { ...keys[1], revoked: true };
    const ci = { name: 'ci', keys: [keys[0], revoked], grants: [{ roles: ['requester'] }] };
    const spec = { version: 1, issuers: [issuer], principals: [ci] };
    const frame = { apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AccessPolicy' };
    await writeFile(path, JSON.stringify({ ...frame, metadata: { name: 'a' }, spec }));
    const text = await typed('access', 'check', path);
    expect(text.stdout).toContain(`  ci: tokens of ${ISSUER} for repo:a sign\n`);
    expect(text.stdout).toContain(`  ci: tokens of ${ISSUER} for repo:b sign no more\n`);
    const about = { principal: 'ci', issuer: ISSUER };
    const words = ['access', 'explain', path, '--cluster', 'c1'] as const;
    const line = `\n  signs with a token of ${ISSUER} for repo:a: --key oidc::COMMAND\n`;
    expect((await typed(...words)).stdout).toContain(line);
    expect(await checkedDocument(...words)).toMatchObject({
      principals: [{ tokens: [{ issuer: ISSUER, subject: 'repo:a' }] }],
    });
    expect(await checkedDocument('access', 'check', path)).toMatchObject({
      tokens: [
        { ...about, subject: 'repo:a', keyId: oidcKeyId(ISSUER, 'repo:a'), revoked: false },
        { ...about, subject: 'repo:b', revoked: true },
      ],
    });
  });

  it('name what is wrong, and whom the policy does not know', async () => {
    const path = join(folder, 'wrong.yaml');
    await writeFile(path, 'kind: AccessPolicy\n');
    const wrong = await typed('access', 'check', path);
    expect(wrong.exit).not.toBe(0);
    expect(wrong.stderr).toContain('apiVersion');
    await typed('access', 'init', folder);
    const policy = join(folder, 'access-policy.yaml');
    const unknown = await typed(
      'access',
      'explain',
      policy,
      '--cluster',
      'a',
      '--principal',
      'eve',
    );
    expect(unknown.stderr).toContain('has no principal eve');
    expect((await typed('access', 'explain', policy)).stderr).toContain('--cluster or a --fleet');
    expect((await typed('access', 'check', join(folder, 'none.yaml'))).exit).not.toBe(0);
  });
});

describe('a signing key', () => {
  it.each<[string, string, number, string]>([
    ['that others may read', newSigningKey().pem, 0o644, 'others may read it'],
    ['that is none', 'secret words', 0o600, 'must be an Ed25519 key'],
    ['of ssh', '-----BEGIN OPENSSH PRIVATE KEY-----\nsecret words', 0o600, 'ssh-add '],
    ['of a megabyte', 'x'.repeat(2 ** 20), 0o600, 'larger than 16 KiB'],
  ])('%s is refused, and never shown', async (_, text, mode, why) => {
    const path = join(folder, 'a.key');
    await writeFile(path, text);
    await chmod(path, mode);
    const failed = await readSigner(path).catch((error: unknown) => String(error));
    expect(failed).toContain(why);
    expect(failed).not.toContain('secret words');
  });

  it('that cannot be read keeps no one from braking', async () => {
    const { signal } = new AbortController();
    const options = optionReader({ key: join(folder, 'none.key') });
    const cli = { options, env: {}, terminal: fakeTerminal(), signal };
    expect(await signerFor(cli, 'pause')).toBeNull();
    await expect(signerFor(cli, 'resume')).rejects.toThrow('none.key');
  });

  it('that is not there is named', async () => {
    await expect(readSigner(join(folder, 'none.key'))).rejects.toThrow('none.key');
  });
});

describe('worker', () => {
  it('starts only with an access policy, or with the word that says everyone', async () => {
    await writeFile(join(folder, 'inventory.yaml'), INVENTORY);
    const said = await typed('worker', '-f', join(folder, 'inventory.yaml'), '--state-dir', folder);
    expect(said.exit).not.toBe(0);
    expect(said.stderr).toContain('--access-policy is required');
  });
});
