import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { ValueError } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { PayloadKey, PayloadKeys } from './payload-keys.js';

const PayloadProto = proto.temporal.api.common.v1.Payload;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What stands beside an encrypted payload: the same names as in Temporal's own samples, so that their tools know it. */
const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

/**
 * Payloads as AES-256-GCM: nonce, ciphertext and tag of the whole payload. What is not encrypted is read, too: histories of
 * before go on. Who has the database cannot read a payload, but can put another one in its place: signatures are for that.
 */
export function encryptedPayloads({ current, byId }: PayloadKeys): PayloadCodec {
  return {
    encode: (payloads) => Promise.resolve(payloads.map((payload) => encrypted(payload, current))),
    decode: async (payloads) =>
      Promise.resolve(
        payloads.map((payload) => (isEncrypted(payload) ? decrypted(payload, byId) : payload)),
      ),
  };
}

/** Without keys: says which one is missing, where a payload would otherwise be unreadable. */
export const REFUSED_PAYLOADS: PayloadCodec = {
  encode: (payloads) => Promise.resolve(payloads),
  decode: async (payloads) =>
    Promise.resolve(
      payloads.map((payload) => (isEncrypted(payload) ? decrypted(payload, new Map()) : payload)),
    ),
};

export function isEncrypted(payload: Payload): boolean {
  return textOf(payload, 'encoding') === ENCRYPTED;
}

function encrypted(payload: Payload, { id, key }: PayloadKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const inner = cipher.update(PayloadProto.encode(payload).finish());
  return {
    metadata: { encoding: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(id) },
    data: Buffer.concat([nonce, inner, cipher.final(), cipher.getAuthTag()]),
  };
}

/** @throws ValueError for a key that is not there, and for what was changed */
function decrypted(payload: Payload, keys: PayloadKeys['byId']): Payload {
  const id = textOf(payload, KEY_ID);
  const found = keys.get(id);
  if (found === undefined) {
    throw new ValueError(
      `a payload is encrypted with key ${JSON.stringify(id)}, which is not in CCM_MIGRATE_PAYLOAD_KEYS`,
    );
  }
  const bytes = Buffer.from(payload.data ?? []);
  try {
    const decipher = createDecipheriv(CIPHER, found.key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const inner = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return PayloadProto.decode(Buffer.concat([inner, decipher.final()]));
  } catch {
    throw new ValueError(
      `a payload that names key ${JSON.stringify(id)} was not encrypted with it`,
    );
  }
}

function textOf({ metadata }: Payload, name: string): string {
  return Buffer.from(metadata?.[name] ?? []).toString();
}
