import { createHash } from 'node:crypto';
import { sshString, sshStrings } from './ssh-wire.js';

/** The public half of an Ed25519 key of ssh, `ed25519` or `ed25519-sk`. */
export interface SshPublicKey {
  /** SPKI in DER, in base64: as an access policy names it. */
  readonly publicKey: string;
  /** As an ssh-agent names it (RFC 8709, section 4; OpenSSH, PROTOCOL.u2f). */
  readonly blob: Buffer;
  /** What a FIDO key was made for; null for one that is none. */
  readonly application: string | null;
}

/** Why a line is no public key that can sign here, in plain words. */
export class UnusableSshKey extends Error {
  override readonly name = 'UnusableSshKey';
}

export const SSH_ED25519 = 'ssh-ed25519';
/** A key that never leaves its FIDO token. */
export const SSH_FIDO = 'sk-ssh-ed25519@openssh.com';

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
  if (kind !== SSH_ED25519 && kind !== SSH_FIDO) throw new UnusableSshKey(otherKind(kind));
  const blob = Buffer.from(base64, 'base64');
  const read = blob.toString('base64') === base64 ? keyIn(blob, kind) : null;
  if (read === null) throw new UnusableSshKey(damaged(kind));
  const { key, application } = read;
  requireOfSsh(application);
  return { publicKey: Buffer.concat([SPKI_HEAD, key]).toString('base64'), blob, application };
}

function requireOfSsh(application: string | null): void {
  if (application !== null && !SSH_APPLICATION.test(application))
    throw new UnusableSshKey(NOT_OF_SSH);
}

/** Applications of ssh. With keys of web sites agents sign only what looks like a login (OpenSSH, ssh-agent.c). */
export const SSH_APPLICATION = /^ssh:[\x21-\x7e]{0,124}$/;
const NOT_OF_SSH =
  'it is a FIDO key for something else than ssh: its application must begin with `ssh:`';

/** How a policy says beside a key that it is a FIDO key, made for this. */
export function fidoMember(application: string): string {
  return `fido: { application: ${JSON.stringify(application)} }`;
}

interface KeyInBlob {
  readonly key: Buffer;
  readonly application: string | null;
}

/** The 32 bytes of an Ed25519 key, and what it is for; null where this is not exactly one. */
function keyIn(blob: Buffer, wanted: string): KeyInBlob | null {
  const [kind, key, application, ...more] = sshStrings(blob) ?? [];
  if (kind?.toString('latin1') !== wanted || key?.length !== KEY_BYTES) return null;
  const isFido = wanted === SSH_FIDO;
  if (isFido !== (application !== undefined) || more.length > 0) return null;
  return { key, application: application?.toString('latin1') ?? null };
}

const damaged = (kind: string): string => `its ${kind} key is damaged: copy the whole line again`;
const NO_LINE = `it must be one line, \`${SSH_ED25519} AAAA… comment\`, as \`ssh-keygen -t ed25519\` writes it into a .pub file`;

function otherKind(kind: string): string {
  const kinds = `${SSH_ED25519} (\`ssh-keygen -t ed25519\`) or, on a FIDO token, ${SSH_FIDO} (\`-t ed25519-sk\`)`;
  return `it is of kind ${kind}; what signs here is ${kinds}`;
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
