import { createHash } from 'node:crypto';
import { sshString, sshStrings } from './ssh-wire.js';

/** The public half of an Ed25519 key of ssh. */
export interface SshPublicKey {
  /** SPKI in DER, in base64: as an access policy names it. */
  readonly publicKey: string;
  /** As an ssh-agent names it (RFC 8709, section 4). */
  readonly blob: Buffer;
}

/** Why a line is no public key that can sign here, in plain words. */
export class UnusableSshKey extends Error {
  override readonly name = 'UnusableSshKey';
}

export const SSH_ED25519 = 'ssh-ed25519';

/** What comes before the 32 bytes of a key in its SPKI (RFC 8410, section 4). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

/** Kind, base64 and a comment, as `ssh-keygen` writes a .pub file; options of authorized_keys are none of it. */
const LINE =
  /^(?<kind>(?:ssh|ecdsa|sk)-[\w@.-]{1,64})[ \t]+(?<base64>[A-Za-z0-9+/]+={0,2})(?:[ \t][^\r\n]*)?\r?\n?$/;

/**
 * Reads the one line of a .pub file. No other spelling of a key is taken: what a policy names must be one key.
 * @throws UnusableSshKey for anything else, and for keys of other kinds
 */
export function parseSshPublicKey(line: string): SshPublicKey {
  const { kind = '', base64 = '' } = LINE.exec(line)?.groups ?? {};
  if (kind === '') throw new UnusableSshKey(NO_LINE);
  if (kind !== SSH_ED25519) throw new UnusableSshKey(otherKind(kind));
  const blob = Buffer.from(base64, 'base64');
  const key = keyIn(blob);
  if (key === null || blob.toString('base64') !== base64) throw new UnusableSshKey(DAMAGED);
  return { publicKey: Buffer.concat([SPKI_HEAD, key]).toString('base64'), blob };
}

/** The 32 bytes of an Ed25519 key; null where this is not exactly one (RFC 8709, section 4). */
function keyIn(blob: Buffer): Buffer | null {
  const strings = sshStrings(blob);
  if (strings?.length !== 2) return null;
  const [kind, key] = strings;
  return kind?.toString('latin1') === SSH_ED25519 && key?.length === KEY_BYTES ? key : null;
}

const DAMAGED = `its ${SSH_ED25519} key is damaged: copy the whole line again`;
const NO_LINE = `it must be one line, \`${SSH_ED25519} AAAA… comment\`, as \`ssh-keygen -t ed25519\` writes it into a .pub file`;

/**
 * A FIDO key signs digests of its application and of the message with flags and a counter, and never the message itself
 * (OpenSSH, PROTOCOL.u2f, "SSH U2F signatures"): no worker and no audit would know its signature.
 */
function otherKind(kind: string): string {
  const why = kind.startsWith('sk-')
    ? ', a FIDO key: it signs other bytes than those it is given, which is not supported yet'
    : '';
  return `it is of kind ${kind}${why}; what signs here is ${SSH_ED25519} (\`ssh-keygen -t ed25519\`)`;
}

/** The name that ssh has for the Ed25519 key with this SPKI (DER in base64). */
export function sshBlobOf(spki: string): Buffer {
  const key = Buffer.from(spki, 'base64').subarray(SPKI_HEAD.length);
  return Buffer.concat([sshString(SSH_ED25519), sshString(key)]);
}

/** As `ssh-add -l` and `ssh-keygen -l` print it. */
export function sshFingerprint(blob: Buffer): string {
  const digest = createHash('sha256').update(blob).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
}
