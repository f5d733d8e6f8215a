import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import type { SigningKey } from '../../config/access/signing-key-file.js';
import type { NoteSignature, SignedCheckpoint } from '../../domain/transparency/checkpoint.js';

/** Ed25519, as https://c2sp.org/signed-note numbers it. */
const ED25519 = 1;
const ID_BYTES = 4;
const KEY_BYTES = 32;

/** Signs the text of a note under a name. */
export function signNote(body: string, name: string, { key }: SigningKey): NoteSignature {
  const signature = sign(null, Buffer.from(body), key);
  const value = Buffer.concat([noteKeyId(name, createPublicKey(key)), signature]);
  return { name, value: value.toString('base64') };
}

/** Whether the log of this origin signed it with the Ed25519 key of this SPKI (DER in base64). */
export function isNoteSigned(
  { origin, body, signatures }: SignedCheckpoint,
  spki: string,
): boolean {
  const key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
  const id = noteKeyId(origin, key);
  return signatures.some(({ name, value }) => {
    const bytes = Buffer.from(value, 'base64');
    if (name !== origin || !bytes.subarray(0, ID_BYTES).equals(id)) return false;
    return verify(null, Buffer.from(body), key, bytes.subarray(ID_BYTES));
  });
}

/** The key as programs for logs of this kind are given it: name, id and key, joined by `+`. */
export function noteVerifierKey(name: string, { key }: SigningKey): string {
  const own = createPublicKey(key);
  const id = noteKeyId(name, own).toString('hex');
  return `${name}+${id}+${typedKey(own).toString('base64')}`;
}

function noteKeyId(name: string, key: KeyObject): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), typedKey(key)]);
  return hash('sha256', named, 'buffer').subarray(0, ID_BYTES);
}

function typedKey(key: KeyObject): Buffer {
  const spki = key.export({ type: 'spki', format: 'der' });
  return Buffer.concat([Buffer.of(ED25519), spki.subarray(-KEY_BYTES)]);
}
