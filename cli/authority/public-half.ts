import { keyIdOf } from '../../config/access/access-policy-file.js';
import { readSigningKey } from '../../config/access/signing-key-file.js';
import { sshKeyNamed } from '../../config/access/ssh-key-named.js';
import { sshBlobOf, sshFingerprint } from '../../config/access/ssh-public-key.js';
import { UsageError } from '../cli-error.js';

/** The public half of a key, by all of its names. */
export interface PublicHalf {
  /** As an access policy names it. */
  readonly ed25519: string;
  readonly keyId: string;
  /** As `ssh-add -l` prints it. */
  readonly fingerprint: string;
}

/** Of the key that is named as `--key` names one. @throws UsageError in plain words; it never quotes the file */
export async function publicHalf(named: string): Promise<PublicHalf> {
  const { publicKey } = await read(named).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  const fingerprint = sshFingerprint(sshBlobOf(publicKey));
  return { ed25519: publicKey, keyId: keyIdOf(publicKey), fingerprint };
}

async function read(named: string): Promise<{ readonly publicKey: string }> {
  return (await sshKeyNamed(named)) ?? readSigningKey(named);
}
