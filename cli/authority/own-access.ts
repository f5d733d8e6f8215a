import { existsSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_ROLES } from '../../domain/authority/access-policy.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import { thisUser } from '../this-user.js';
import { privateFolder } from '../state-folder.js';
import { newSigningKey } from '../../config/access/signing-key-file.js';

/** Paths of the key that signs requests, the key that signs what workers report, and the policy that trusts both. */
export interface KeysAndPolicy {
  readonly signingKey: string;
  readonly workerKey: string;
  readonly accessPolicy: string;
}

/** Without a key for workers where the policy names others already. */
export type OwnAccess = Omit<KeysAndPolicy, 'workerKey'> &
  Partial<Pick<KeysAndPolicy, 'workerKey'>>;

/** Where they are in a folder. */
export function accessFilesIn(folder: string): KeysAndPolicy {
  return {
    signingKey: join(folder, 'signing.key'),
    workerKey: join(folder, 'worker.key'),
    accessPolicy: join(folder, 'access-policy.yaml'),
  };
}

/**
 * The key and the policy of a folder of ours, made when missing: only who can read this folder may start or command anything
 * there, although others reach the port of its server.
 */
export async function ownAccess(folder: string): Promise<OwnAccess> {
  const files = accessFilesIn(folder);
  await privateFolder(folder);
  if (!existsSync(files.signingKey) || !existsSync(files.accessPolicy)) {
    await writeAccessFiles(files, { name: thisUser(), flag: 'w' });
  } else if (!existsSync(files.workerKey)) {
    await addWorkerKey(files);
  }
  const { signingKey, workerKey, accessPolicy } = files;
  return { signingKey, accessPolicy, ...(existsSync(workerKey) ? { workerKey } : {}) };
}

/** A folder of an older version: the keys of its people stay, as runs rest on them. */
async function addWorkerKey({ workerKey, accessPolicy }: KeysAndPolicy): Promise<void> {
  if (/^ *workers:/m.test(await readFile(accessPolicy, 'utf8'))) return;
  const { pem, publicKey } = newSigningKey();
  await writeFile(workerKey, pem, { mode: 0o600, flag: 'wx', flush: true });
  await appendFile(accessPolicy, workersPart(publicKey));
}

/** Whose first policy it is. */
interface FirstPrincipal {
  readonly name: string;
  /** How a policy names the key that they have (`policyLines`); without it they get a new one. */
  readonly lines?: readonly string[] | null;
  /** `wx`: fails where a file exists. */
  readonly flag: 'w' | 'wx';
}

/** New keys, and a policy under which the first, or the given one, may do everything. */
export async function writeAccessFiles(
  { signingKey, workerKey, accessPolicy }: KeysAndPolicy,
  { name, lines = null, flag }: FirstPrincipal,
): Promise<void> {
  const own = lines === null ? newSigningKey() : null;
  const workers = newSigningKey();
  if (own !== null) await writeFile(signingKey, own.pem, { mode: 0o600, flag, flush: true });
  await writeFile(workerKey, workers.pem, { mode: 0o600, flag, flush: true });
  const named = own === null ? (lines ?? []) : [`ed25519: ${own.publicKey}`];
  const policy = `${firstPolicy(name, named)}${workersPart(workers.publicKey)}`;
  await writeFile(accessPolicy, policy, { mode: 0o644, flag });
}

/** YAML written by hand, for the comments. */
function firstPolicy(name: string, keyLines: readonly string[]): string {
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
        - ${keyLines.join('\n          ')}
      grants:
        # Everything, everywhere. Add people, and narrow this with clusters and fleets.
        - roles: [${ACCESS_ROLES.join(', ')}]
`;
}

function workersPart(publicKey: string): string {
  return `  # Workers sign what they report with it (CCM_MIGRATE_WORKER_KEY); \`audit verify --trust\` believes no other.
  workers:
    - name: workers
      keys:
        - ed25519: ${publicKey}
`;
}
