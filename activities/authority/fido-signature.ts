import { createHash } from 'node:crypto';

/** What a FIDO key of ssh gives as a signature of a message, with what it signed in its place. */
export interface FidoSignature {
  /** The 64 bytes of Ed25519. */
  readonly sig: Buffer;
  readonly signed: Buffer;
  /** Someone touched the key. */
  readonly isTouched: boolean;
  /** It asked for its PIN, or for a finger that it knows. */
  readonly isVerified: boolean;
}

const SIG_BYTES = 64;
/** A byte of flags and a counter of four. */
const TAIL_BYTES = 5;
/** Flags of CTAP2's authenticator data: user present, user verified. */
const PRESENT = 0x01;
const VERIFIED = 0x04;

/**
 * Reads `carried`: the signature, flags and counter, as an agent gives them. A FIDO key never signs a message itself, but digests of
 * its application and of the message around flags and counter (OpenSSH, PROTOCOL.u2f, "SSH U2F signatures"). Null for another length.
 */
export function readFidoSignature(
  application: string,
  message: Buffer,
  carried: Buffer,
): FidoSignature | null {
  if (carried.length !== SIG_BYTES + TAIL_BYTES) return null;
  const [sig, tail] = [carried.subarray(0, SIG_BYTES), carried.subarray(SIG_BYTES)];
  const flags = tail.readUInt8();
  return {
    ...{ sig, signed: Buffer.concat([sha256(application), tail, sha256(message)]) },
    isTouched: (flags & PRESENT) !== 0,
    isVerified: (flags & VERIFIED) !== 0,
  };
}

function sha256(content: Buffer | string): Buffer {
  return createHash('sha256').update(content).digest();
}
