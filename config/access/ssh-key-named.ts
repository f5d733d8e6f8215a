import { readSmallFile } from '../small-file.js';
import { parseSshPublicKey, type SshPublicKey } from './ssh-public-key.js';

const LARGEST_BYTES = 16 * 1024;
const LITERAL = 'key::';
const PUBLIC_LINE = /^(?:ssh-|ecdsa-|sk-)/;
const PRIVATE_OF_SSH = '-----BEGIN OPENSSH PRIVATE KEY-----';

/**
 * The public key of ssh that is named as git's `user.signingKey` names one (git-config(1)): by its .pub file, or as `key::` and
 * the line itself, for machines to which only the agent was forwarded. Null where the file holds something else.
 * @throws Error in plain words; it never quotes the file
 */
export async function sshKeyNamed(named: string): Promise<SshPublicKey | null> {
  if (named.startsWith(LITERAL)) return parsed('the signing key', named.slice(LITERAL.length));
  const what = `signing key ${named}`;
  const text = await readSmallFile(what, named, LARGEST_BYTES);
  if (named.endsWith('.pub') || PUBLIC_LINE.test(text)) return parsed(what, text);
  if (text.startsWith(PRIVATE_OF_SSH)) {
    throw new Error(
      `${what}: a private key of ssh is left to an agent: \`ssh-add ${named}\`, then name ${named}.pub`,
    );
  }
  return null;
}

function parsed(what: string, line: string): SshPublicKey {
  try {
    return parseSshPublicKey(line);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${what}: ${why}`, { cause: error });
  }
}
