import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sshKeyNamed } from '../../../config/access/ssh-key-named.js';
import {
  parseSshPublicKey,
  sshBlobOf,
  sshFingerprint,
  UnusableSshKey,
} from '../../../config/access/ssh-public-key.js';
import { sshString, sshStrings } from '../../../config/access/ssh-wire.js';

// Made with `ssh-keygen -t ed25519`; its fingerprint is what `ssh-keygen -l` says of it.
const BASE64 = 'AAAAC3NzaC1lZDI1NTE5AAAAIHScVmevyQeNMlHE5xRaUp7DlpSz+dcitMoDd4CHe4rZ';
const FINGERPRINT = 'SHA256:DzIJj0fs2mPeDF/3zqOUw0/jidFXKAf66M/zRmbeMME';
const SPKI = 'MCowBQYDK2VwAyEAdJxWZ6/JB40yUcTnFFpSnsOWlLP51yK0ygN3gId7itk=';
const LINE = `ssh-ed25519 ${BASE64} ana@laptop`;

const FIDO = 'sk-ssh-ed25519@openssh.com';

const blobOf = (...parts: readonly (Buffer | string)[]): string =>
  Buffer.concat(parts.map(sshString)).toString('base64');

describe('the public key of ssh', () => {
  it.each([LINE, `${LINE}\n`, `${LINE}\r\n`, `ssh-ed25519 ${BASE64}`, `ssh-ed25519\t${BASE64}\n`])(
    'is read from its line: %j',
    (line) => {
      const { publicKey, blob } = parseSshPublicKey(line);
      expect(publicKey).toBe(SPKI);
      expect(sshFingerprint(blob)).toBe(FINGERPRINT);
      expect(sshBlobOf(publicKey)).toEqual(blob);
    },
  );

  it.each<[string, string, string]>([
    ['nothing', '', 'it must be one line'],
    ['two lines', `${LINE}\n${LINE}\n`, 'it must be one line'],
    ['options before it', `restrict ${LINE}`, 'it must be one line'],
    ['quoted options before it', `command="sh" ${LINE}`, 'it must be one line'],
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n', 'it must be one'],
    [
      'an RSA key',
      'ssh-rsa AAAAB3NzaC1yc2E= ana',
      'of kind ssh-rsa; what signs here is ssh-ed25519',
    ],
    ['an ECDSA key', 'ecdsa-sha2-nistp256 AAAA ana', 'of kind ecdsa-sha2-nistp256; what signs'],
    ['a FIDO ECDSA key', 'sk-ecdsa-sha2-nistp256@openssh.com AAAA a', 'on a FIDO token, sk-ssh-'],
    ['a FIDO key that is none inside', `${FIDO} ${BASE64} a`, 'is damaged'],
    ['a FIDO key for nothing', `${FIDO} ${blobOf(FIDO, Buffer.alloc(32))}`, 'is damaged'],
    [
      'a FIDO key of a web site',
      `${FIDO} ${blobOf(FIDO, Buffer.alloc(32), 'https://example.com')}`,
      'its application must begin with `ssh:`',
    ],
    [
      'more after a FIDO key',
      `${FIDO} ${blobOf(FIDO, Buffer.alloc(32), 'ssh:', 'x')}`,
      'is damaged',
    ],
    ['a certificate', `ssh-ed25519-cert-v01@openssh.com ${BASE64}`, 'of kind ssh-ed25519-cert'],
    ['base64 that is cut', `ssh-ed25519 ${BASE64.slice(0, -1)}`, 'is damaged'],
    [
      'base64 of another spelling',
      `ssh-ed25519 ${blobOf('ssh-ed25519', Buffer.alloc(32)).replace(/.$/, '')}B=`,
      'is damaged',
    ],
    ['another kind inside', `ssh-ed25519 ${blobOf('ssh-rsa', Buffer.alloc(32))}`, 'is damaged'],
    ['a short key', `ssh-ed25519 ${blobOf('ssh-ed25519', Buffer.alloc(31))}`, 'is damaged'],
    ['a long key', `ssh-ed25519 ${blobOf('ssh-ed25519', Buffer.alloc(33))}`, 'is damaged'],
    [
      'more after the key',
      `ssh-ed25519 ${blobOf('ssh-ed25519', Buffer.alloc(32), 'x')}`,
      'is damaged',
    ],
    ['no key', `ssh-ed25519 ${blobOf('ssh-ed25519')}`, 'is damaged'],
  ])('is refused with %s', (_, line, why) => {
    expect(() => parseSshPublicKey(line)).toThrow(UnusableSshKey);
    expect(() => parseSshPublicKey(line)).toThrow(why);
  });

  it.each(['ssh:', 'ssh:migrations'])('of a FIDO token is read with what it is for: %s', (name) => {
    const key = Buffer.from(SPKI, 'base64').subarray(12);
    const line = `${FIDO} ${blobOf(FIDO, key, name)} ana@laptop`;
    expect(parseSshPublicKey(line)).toMatchObject({ publicKey: SPKI, application: name });
    expect(parseSshPublicKey(LINE)).toMatchObject({ publicKey: SPKI, application: null });
  });

  it('is a key or the one error, whatever the text', () => {
    const bytes = fc.uint8Array({ maxLength: 80 }).map((each) => Buffer.from(each));
    const base64 = fc.oneof(
      fc.base64String({ maxLength: 120 }),
      fc.array(bytes, { maxLength: 4 }).map((parts) => blobOf('ssh-ed25519', ...parts)),
      bytes.map((each) => each.toString('base64')),
    );
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      base64.map((each) => `ssh-ed25519 ${each} c`),
      fc.tuple(fc.string(), base64, fc.string()).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(line, (text) => {
        try {
          const { publicKey, blob } = parseSshPublicKey(text);
          expect(publicKey).toMatch(/^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/);
          expect(text).toContain(blob.toString('base64'));
        } catch (error) {
          if (!(error instanceof UnusableSshKey)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is written as it is read', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
        const read = parseSshPublicKey(`ssh-ed25519 ${blobOf('ssh-ed25519', Buffer.from(key))}`);
        expect(Buffer.from(read.publicKey, 'base64').subarray(12)).toEqual(Buffer.from(key));
      }),
    );
  });
});

describe('strings of ssh', () => {
  it('are read back to the last byte, or not at all', () => {
    const some = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 6 });
    fc.assert(
      fc.property(some, fc.nat(200), (parts, cut) => {
        const buffers = parts.map((each) => Buffer.from(each));
        const whole = Buffer.concat(buffers.map(sshString));
        expect(sshStrings(whole)).toEqual(buffers);
        const read = sshStrings(whole.subarray(0, cut));
        if (read !== null)
          expect(Buffer.concat(read.map(sshString))).toEqual(whole.subarray(0, cut));
      }),
    );
  });
});

describe('a key that is named', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-named-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };

  it('by its .pub file, by any file with its line, or by the line itself', async () => {
    const expected = { publicKey: SPKI };
    expect(await sshKeyNamed(await file('a.pub', LINE))).toMatchObject(expected);
    expect(await sshKeyNamed(await file('a', `${LINE}\n`))).toMatchObject(expected);
    expect(await sshKeyNamed(`key::${LINE}`)).toMatchObject(expected);
  });

  it('is none of ssh where a file holds something else', async () => {
    expect(await sshKeyNamed(await file('b', '-----BEGIN PRIVATE KEY-----\n'))).toBeNull();
  });

  it.each([
    ['c.pub', 'secret words', 'it must be one line'],
    ['d', 'ssh-rsa AAAA secret words', 'of kind ssh-rsa'],
    ['id', '-----BEGIN OPENSSH PRIVATE KEY-----\nsecret words\n', 'id`, then name'],
    ['e.pub', 'x'.repeat(20_000), 'larger than 16 KiB'],
  ])('is refused, and never shown: %s', async (name, text, why) => {
    const path = await file(name, text);
    const said = await sshKeyNamed(path).catch((error: unknown) => String(error));
    expect(said).toContain(`signing key ${path}: `);
    expect(said).toContain(why);
    expect(said).not.toContain('secret');
  });
});
