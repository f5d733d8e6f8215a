import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { signaturesBeside } from '../../config/access/policy-signatures.js';
import { signaturesText } from '../support/policy-signatures.js';
import { type TestPrincipal, testPrincipal } from '../support/signing.js';
import { openAccessPolicy } from '../../workers/access-file.js';

const KEY = `MCowBQYDK2VwAyEA${'A'.repeat(43)}=`;
const text = (version: number): string =>
  'apiVersion: ccm-migrate.dev/v1alpha1\nkind: AccessPolicy\nmetadata: {name: access}\n' +
  `spec:\n  version: ${String(version)}\n  principals:\n` +
  `    - {name: ana, keys: [{ed25519: ${KEY}}], grants: [{roles: [requester]}]}\n`;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-policy-'));
  path = join(folder, 'access-policy.yaml');
  await writeFile(path, text(1), { mode: 0o644 });
});
afterEach(() => rm(folder, { recursive: true }));

/** What happens while the worker waits whether a file that has changed stays as it is. */
let meanwhile: () => Promise<unknown>;
beforeEach(() => {
  meanwhile = () => Promise.resolve();
});

const open = (signers: string | null = null) =>
  openAccessPolicy(
    { policy: path, signers },
    {
      findCluster: () => Promise.reject(new Error('it is not asked')),
      log: pino({ level: 'silent' }),
    },
    () => meanwhile(),
  );

describe('the access policy of a worker', () => {
  it('is read again when it has changed', async () => {
    const authority = await open();
    expect((await authority.policy()).version).toBe(1);
    await writeFile(`${path}.new`, text(2), { mode: 0o644 });
    await rename(`${path}.new`, path);
    expect((await authority.policy()).version).toBe(2);
  });

  it('does not count by half while it is written in place, where its first lines are a policy of their own', async () => {
    const authority = await open();
    const whole = `${text(2)}  handoverQuorum: 1\n  handoverApproval: required\n`;
    const half = text(2);
    await writeFile(path, half);
    const parts = [`${half}  handoverQuorum: 1\n`, whole];
    meanwhile = async () => {
      const next = parts.shift();
      if (next !== undefined) await writeFile(path, next);
    };
    expect(await authority.policy()).toMatchObject({ version: 2, handoverApproval: 'required' });
    expect(parts).toEqual([]);
  });

  it('allows nothing while it never stays as it is', async () => {
    const authority = await open();
    let version = 2;
    meanwhile = () => {
      version += 1;
      return writeFile(path, `${text(version)}#${'.'.repeat(version)}\n`);
    };
    await writeFile(path, text(version));
    await expect(authority.policy()).rejects.toMatchObject({
      type: 'Unavailable',
      message: expect.stringContaining('it is being written'),
    });
  });

  it('allows nothing while it is wrong, gone or open to others, and counts again when it is right', async () => {
    const authority = await open();
    for (const break_ of [
      () => writeFile(path, 'kind: AccessPolicy\n'),
      () => rm(path),
      () => writeFile(path, text(3)).then(() => chmod(path, 0o666)),
    ]) {
      await break_();
      await expect(authority.policy()).rejects.toMatchObject({
        type: 'Unavailable',
        message: expect.stringContaining('nothing is allowed'),
      });
      await writeFile(path, text(4));
      await chmod(path, 0o644);
      expect((await authority.policy()).version).toBe(4);
    }
  });

  it('must be right at the start', async () => {
    await writeFile(path, '{');
    await expect(open()).rejects.toThrow('not YAML');
  });
});

describe('a policy that must be signed', () => {
  const [ana, ben, eve] = ['ana', 'ben', 'eve'].map((name) => testPrincipal(name));
  let signers: string;
  beforeEach(async () => {
    signers = join(folder, 'policy-signers.yaml');
    await writeSigners(2, ana, ben);
  });

  const writeSigners = (quorum: number, ...people: readonly (TestPrincipal | undefined)[]) =>
    writeFile(
      signers,
      JSON.stringify({
        ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'PolicySigners' },
        metadata: { name: 'signers' },
        spec: {
          quorum,
          signers: people.map((each) => ({
            name: each?.name,
            keys: (each?.keys ?? []).map((key) => ({ ed25519: 'spki' in key ? key.spki : '' })),
          })),
        },
      }),
      { mode: 0o644 },
    );

  /** A policy of this version, signed by these. */
  const write = async (version: number, ...by: readonly (TestPrincipal | undefined)[]) => {
    await writeFile(path, text(version), { mode: 0o644 });
    await sign(text(version), ...by);
  };
  const sign = (signed: string, ...by: readonly (TestPrincipal | undefined)[]) =>
    writeFile(signaturesBeside(path), signaturesText(signed, by), { mode: 0o644 });

  it('counts when as many have signed as it takes, and again after each change', async () => {
    await write(1, ana, ben);
    const authority = await open(signers);
    expect((await authority.policy()).version).toBe(1);
    await write(2, ana, eve, ben);
    expect((await authority.policy()).version).toBe(2);
  });

  it.each([
    ['the policy is another one', () => writeFile(path, text(7))],
    ['one signature is missing', () => sign(text(1), ben)],
    ['one signed twice', () => sign(text(1), ben, ben)],
    ['a stranger signed', () => sign(text(1), ben, eve)],
    ['the signatures are of another text', () => sign(text(7), ana, ben)],
    ['the signatures are gone', () => rm(signaturesBeside(path))],
    ['the signatures are none', () => writeFile(signaturesBeside(path), 'ana\n')],
    ['others must sign', () => writeSigners(2, ana, eve)],
    ['it takes more', () => writeSigners(3, ana, ben, eve)],
    ['who must sign is not said', () => rm(signers)],
    ['the file of signers is open to others', () => chmod(signers, 0o666)],
  ])('allows nothing once %s', async (_, change) => {
    await write(1, ana, ben);
    const authority = await open(signers);
    expect((await authority.policy()).version).toBe(1);
    await change();
    await expect(authority.policy()).rejects.toMatchObject({
      type: 'Unavailable',
      message: expect.stringContaining('nothing is allowed'),
    });
    await chmod(signers, 0o644).catch(() => undefined);
    await writeSigners(2, ana, ben);
    await write(2, ana, ben);
    expect((await authority.policy()).version).toBe(2);
  });

  it('must be signed at the start, and says what to do', async () => {
    await expect(open(signers)).rejects.toThrow('ccm-migrate access sign');
    await sign(text(1), ana);
    await expect(open(signers)).rejects.toThrow(
      'signed by ana, and it takes 2 of its signers: ben',
    );
  });
});
