import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { readSecretFile } from './small-file.js';

/** Keys for what histories carry. The first encrypts, all of them decrypt. */
export interface PayloadKeys {
  readonly current: PayloadKey;
  readonly byId: ReadonlyMap<string, PayloadKey>;
}

export interface PayloadKey {
  /** Stands beside each payload, in plain text. */
  readonly id: string;
  /** 256 bits. */
  readonly key: KeyObject;
}

const PAYLOAD_KEY_BYTES = 32;
const LARGEST_FILE_BYTES = 64 * 1024;
const LINE = /^(?<id>[\w.-]{1,64}) (?<key>[A-Za-z0-9+/]{43}=)$/;

/** A new line for the file: the id, and the key in base64. */
export function newPayloadKeyLine(id: string): string {
  return `${id} ${randomBytes(PAYLOAD_KEY_BYTES).toString('base64')}\n`;
}

export function isPayloadKeyId(id: string): boolean {
  return /^[\w.-]{1,64}$/.test(id);
}

/** Reads a file of keys, newest first. @throws Error in plain words; it never quotes the file */
export async function readPayloadKeys(path: string): Promise<PayloadKeys> {
  return payloadKeysIn(
    path,
    await readSecretFile(`payload keys ${path}`, path, LARGEST_FILE_BYTES),
  );
}

function payloadKeysIn(path: string, text: string): PayloadKeys {
  const byId = new Map<string, PayloadKey>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const { id, key } = LINE.exec(line)?.groups ?? {};
    if (id === undefined || key === undefined) {
      throw new Error(
        `payload keys ${path}: line ${String(index + 1)}: write an id, a space, and 32 random bytes in base64`,
      );
    }
    if (byId.has(id)) throw new Error(`payload keys ${path}: ${id} is there twice`);
    byId.set(id, { id, key: createSecretKey(Buffer.from(key, 'base64')) });
  }
  const [current] = byId.values();
  if (current === undefined) throw new Error(`payload keys ${path}: it has no key`);
  return { current, byId };
}
