import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_ROLES } from '../../domain/authority/access-policy.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import { thisUser } from '../this-user.js';
import { privateFolder } from '../state-folder.js';
import { newSigningKey } from './signing-key.js';

/** A key and the policy that trusts it. */
export interface KeyAndPolicy {
  readonly signingKey: string;
  readonly accessPolicy: string;
}

/** Where they are in a folder. */
export function accessFilesIn(folder: string): KeyAndPolicy {
  return {
    signingKey: join(folder, 'signing.key'),
    accessPolicy: join(folder, 'access-policy.yaml'),
  };
}

/**
 * The key and the policy of a folder of ours, made when missing: only who can read this folder may start or command anything
 * there, although others reach the port of its server.
 */
export async function ownAccess(folder: string): Promise<KeyAndPolicy> {
  const files = accessFilesIn(folder);
  await privateFolder(folder);
  if (!existsSync(files.signingKey) || !existsSync(files.accessPolicy)) {
    await writeAccessFiles(files, { name: thisUser(), flag: 'w' });
  }
  return files;
}

/** A new key, and a policy under which it may do everything. `wx`: fails where a file exists. */
export async function writeAccessFiles(
  { signingKey, accessPolicy }: KeyAndPolicy,
  { name, flag }: { readonly name: string; readonly flag: 'w' | 'wx' },
): Promise<void> {
  const { pem, publicKey } = newSigningKey();
  await writeFile(signingKey, pem, { mode: 0o600, flag });
  await writeFile(accessPolicy, firstPolicy(name, publicKey), { mode: 0o644, flag });
}

/** YAML written by hand, for the comments. */
function firstPolicy(name: string, publicKey: string): string {
  return `apiVersion: ${API_VERSION}
kind: AccessPolicy
metadata:
  name: access
spec:
  # Raise it with each change.
  version: 1
  # "required": each run asks another person before the handover, whatever its own policy says.
  handoverApproval: asPolicy
  principals:
    - name: ${JSON.stringify(name)}
      keys:
        - ed25519: ${publicKey}
      grants:
        # Everything, everywhere. Add people, and narrow this with clusters and fleets.
        - roles: [${ACCESS_ROLES.join(', ')}]
`;
}
