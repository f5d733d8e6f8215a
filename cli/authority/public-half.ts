import { keyIdOf } from '../../config/access/public-keys.js';
import { readSigningKey } from '../../config/access/signing-key-file.js';
import { sshKeyNamed } from '../../config/access/ssh-key-named.js';
import {
  fidoMember,
  sshBlobOf,
  sshFingerprint,
  type SshPublicKey,
} from '../../config/access/ssh-public-key.js';
import { UsageError } from '../cli-error.js';
import { tokenCommand } from './token-signer.js';

/** The public half of a key, by all of its names. */
export interface PublicHalf {
  /** As an access policy names it. */
  readonly ed25519: string;
  readonly keyId: string;
  /** As `ssh-add -l` prints it. */
  readonly fingerprint: string;
  /** Of a FIDO key, what it was made for. */
  readonly fido?: { readonly application: string };
}

/** Of the key that is named as `--key` names one. @throws UsageError in plain words; it never quotes the file */
export async function publicHalf(named: string): Promise<PublicHalf> {
  const { publicKey, blob, application } = await read(named).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  return {
    ...{ ed25519: publicKey, keyId: keyIdOf(publicKey), fingerprint: sshFingerprint(blob) },
    ...(application === null ? {} : { fido: { application } }),
  };
}

async function read(named: string): Promise<SshPublicKey> {
  if (tokenCommand(named) !== null) throw new Error(NO_KEY);
  const key = await sshKeyNamed(named);
  if (key !== null) return key;
  const { publicKey } = await readSigningKey(named);
  return { publicKey, blob: sshBlobOf(publicKey), application: null };
}

const NO_KEY =
  'who signs with tokens has no key: write `oidc: { issuer: https://…, subject: … }`, and the keys of the issuer under issuers';

/** The members that name it as a principal's key, a line each. */
export function policyLines({ ed25519, fido }: PublicHalf): readonly string[] {
  return [`ed25519: ${ed25519}`, ...(fido === undefined ? [] : [fidoMember(fido.application)])];
}
