import { createHash } from 'node:crypto';

/** Fingerprint of a public key's wire form, as OpenSSH prints it. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** The algorithm name that a public key's wire form begins with (RFC 4253, 6.6); '' when it begins with none. */
export function keyTypeOf(blob: Buffer): string {
  if (blob.length < 4) return '';
  const length = blob.readUInt32BE(0);
  return length > 64 ? '' : blob.subarray(4, 4 + length).toString('latin1');
}
