import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readPolicySignatures } from '../../../config/access/policy-signatures.js';
import { fakeTerminal, ran } from '../fake-terminal.js';
import { checkedDocument } from './checked-document.js';

let folder: string;
let policy: string;
let signers: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-sign-'));
  for (const name of ['ana', 'ben', 'eve']) {
    await typed('access', 'init', join(folder, name), '--actor', name);
  }
  policy = join(folder, 'ana', 'access-policy.yaml');
  signers = join(folder, 'signers.yaml');
  const [ana, ben] = [await lineOf('ana'), await lineOf('ben')];
  await writeFile(
    signers,
    `apiVersion: ccm-migrate.dev/v1alpha1\nkind: PolicySigners\nmetadata: { name: production }\nspec:\n  quorum: 2\n  signers:\n` +
      `    - name: ana\n      keys: [{ ed25519: ${ana} }]\n    - name: ben\n      keys: [{ ed25519: ${ben} }]\n`,
  );
});
afterEach(() => rm(folder, { recursive: true }));

const typed = (...words: readonly string[]) => ran(words, { terminal: fakeTerminal({}) });
const keyOf = (name: string): string => join(folder, name, 'signing.key');

const lineOf = async (name: string): Promise<string> =>
  String((await checkedDocument('access', 'key', keyOf(name)))['ed25519']);
const signed = (name: string) =>
  typed('access', 'sign', policy, '--key', keyOf(name), '--signers', signers);
const kept = async () => readPolicySignatures(await readFile(`${policy}.signatures`, 'utf8'));

describe('access sign', () => {
  it('collects signatures until there are as many as it takes', async () => {
    const first = await signed('ana');
    expect(first.exit).toBe(0);
    expect(first.stdout).toContain('signed by ana, and it takes 2 of its signers: ben may sign');
    const stranger = await signed('eve');
    expect(stranger.stdout).toContain('signed by ana, and it takes 2');
    const again = await signed('ana');
    expect(again.stdout).toContain('2 signatures of this text');
    const second = await signed('ben');
    expect(second.stdout).toContain('signed by ana, ben, and it takes 2');
    expect(await kept()).toHaveLength(3);
    const said = await checkedDocument('access', 'check', policy, '--signers', signers);
    expect(said['signing']).toEqual({ quorum: 2, signedBy: ['ana', 'ben'], taken: true });
  });

  it('drops the signatures of an earlier text, and says so', async () => {
    await signed('ana');
    const text = await readFile(policy, 'utf8');
    await writeFile(policy, text.replace('version: 1', 'version: 2'));
    const check = await typed('access', 'check', policy, '--signers', signers);
    expect(check.exit).not.toBe(0);
    expect(check.stdout).toContain('signed by no one');
    const said = await signed('ben');
    expect(said.stdout).toContain('1 signature of this text; 1 of earlier texts removed');
    expect(await kept()).toHaveLength(1);
  });

  it('says in a document what it signed', async () => {
    const said = await checkedDocument('access', 'sign', policy, '--key', keyOf('ana'));
    const [line] = await kept();
    expect(said).toMatchObject({
      ...{ kind: 'AccessSignature', file: policy, policy: 'access', version: 1, count: 1 },
      ...{ digest: line?.policy, keyId: line?.keyid, signatures: `${policy}.signatures` },
    });
  });

  it.each([
    ['without a key', () => typed('access', 'sign', policy), '--key is required'],
    [
      'with tokens',
      () => typed('access', 'sign', policy, '--key', 'oidc::echo token'),
      'tokens sign no policy',
    ],
    [
      'a policy that workers would refuse',
      async () => {
        await writeFile(policy, 'kind: AccessPolicy\n');
        return signed('ana');
      },
      'CCM5003',
    ],
    [
      'beside signatures that are none',
      async () => {
        await writeFile(`${policy}.signatures`, 'ana\n');
        return signed('ana');
      },
      'line 1 is no signature',
    ],
    [
      'for signers that are none',
      async () => {
        await writeFile(signers, 'kind: PolicySigners\n');
        return typed('access', 'check', policy, '--signers', signers);
      },
      'CCM5003',
    ],
  ])('refuses %s', async (_, act, why) => {
    const { exit, stderr } = await act();
    expect(exit).not.toBe(0);
    expect(stderr).toContain(why);
  });
});
