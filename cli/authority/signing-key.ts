import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { open } from 'node:fs/promises';
import { keyIdOf } from '../../config/access/access-policy-file.js';
import { unreadable } from '../../config/read-documents.js';
import { signStatement } from '../../activities/authority/signed-statement.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import type { Statement } from '../../domain/authority/statement.js';
import { type StatementVerb, VERB_RULES } from '../../domain/authority/verb-roles.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import { noteOf } from '../runs/connection.js';

/** Signs what is asked for, so that workers with an access policy know who asks. */
export interface Signer {
  readonly keyId: string;
  readonly sign: (statement: Statement) => Envelope;
}

const READABLE_BY_OTHERS = 0o077;
const LARGEST_BYTES = 16 * 1024;

/** The key that the command line, the environment or the note of `dev` names; null where none does. */
export async function signerOf(cli: Pick<Cli, 'options' | 'env'>): Promise<Signer | null> {
  const { options, env } = cli;
  const path =
    options.text('key') ?? env['CCM_MIGRATE_KEY'] ?? (await noteOf(cli))?.signingKey ?? null;
  return path === null || path === '' ? null : readSigner(path);
}

/** The same for this command: a brake does not wait for a key that cannot be read, because it needs none. */
export async function signerFor(
  cli: Pick<Cli, 'options' | 'env'>,
  verb: StatementVerb,
): Promise<Signer | null> {
  const signer = signerOf(cli);
  return VERB_RULES[verb].isBrake ? signer.catch(() => null) : signer;
}

/** @throws UsageError in plain words; it never quotes the file */
export async function readSigner(path: string): Promise<Signer> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new UsageError(`signing key ${path}: ${unreadable(error)}`);
  });
  try {
    const { mode, size } = await file.stat();
    if ((mode & READABLE_BY_OTHERS) !== 0) {
      throw new UsageError(`signing key ${path}: others may read it: chmod 0600`);
    }
    if (size > LARGEST_BYTES) throw new UsageError(`signing key ${path}: larger than 16 KiB`);
    return signerWith(path, await file.readFile('utf8'));
  } finally {
    await file.close();
  }
}

function signerWith(path: string, pem: string): Signer {
  const key = privateKey(pem);
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new UsageError(
      `signing key ${path}: it must be an Ed25519 key in PKCS #8 (PEM), without a passphrase, as \`ccm-migrate access init\` writes it`,
    );
  }
  const keyId = keyIdOf(spkiOf(key));
  return { keyId, sign: (statement) => signStatement(statement, key, keyId) };
}

function privateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

function spkiOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
}

/** A new key: its PEM, and its public half as an access policy names it. */
export function newSigningKey(): { readonly pem: string; readonly publicKey: string } {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  return { pem: String(key.export({ type: 'pkcs8', format: 'pem' })), publicKey: spkiOf(key) };
}
