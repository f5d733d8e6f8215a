import { createHash, sign, type KeyObject } from 'node:crypto';

/** How a token signs: someone touched it, unless `flags` says otherwise, and it was the seventh time. */
export interface Tap {
  readonly flags?: number;
  readonly counter?: number;
  readonly application?: string;
}

const sha256 = (content: Buffer | string): Buffer => createHash('sha256').update(content).digest();

/** Signature, flags and counter of a FIDO key (OpenSSH, PROTOCOL.u2f), written down a second time, apart from what reads them. */
export function tapped(key: KeyObject, message: Buffer, tap: Tap = {}): Buffer {
  const { flags = 1, counter = 7, application = 'ssh:' } = tap;
  const tail = Buffer.alloc(5);
  tail.writeUInt8(flags);
  tail.writeUInt32BE(counter, 1);
  const signed = Buffer.concat([sha256(application), tail, sha256(message)]);
  return Buffer.concat([sign(null, signed, key), tail]);
}
