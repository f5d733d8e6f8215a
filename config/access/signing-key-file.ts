import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { readSecretFile } from '../small-file.js';
import { keyIdOf } from './public-keys.js';

/** A private Ed25519 key. `keyId` names its public half, as in the access policy. */
export interface SigningKey {
  readonly keyId: string;
  /** The public half: SPKI in DER, in base64. */
  readonly publicKey: string;
  readonly key: KeyObject;
}

const LARGEST_BYTES = 16 * 1024;

/** @throws Error in plain words; it never quotes the file */
export async function readSigningKey(path: string): Promise<SigningKey> {
  return signingKeyIn(path, await readSecretFile(`signing key ${path}`, path, LARGEST_BYTES));
}

function signingKeyIn(path: string, pem: string): SigningKey {
  const key = privateKey(pem);
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new Error(
      `signing key ${path}: it must be an Ed25519 key in PKCS #8 (PEM), without a passphrase, as \`ccm-migrate access init\` writes it`,
    );
  }
  const publicKey = spkiOf(key);
  return { key, publicKey, keyId: keyIdOf(publicKey) };
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
