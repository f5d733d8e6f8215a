import { stat } from 'node:fs/promises';
import { readAccessPolicy } from '../../config/access/access-policy-file.js';
import { ConfigInvalid } from '../../config/problems.js';
import { LARGEST_FILE_BYTES, unreadable, wholeFile } from '../../config/read-documents.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import { readRegular } from '../../config/regular-file.js';

/** The AccessPolicy of a file that a command names. @throws ConfigInvalid where it is none, or cannot be read. */
export async function givenAccessPolicy(path: string): Promise<AccessPolicy> {
  const read = readAccessPolicy((await readPolicyBytes(path)).toString('utf8'));
  if (read.kind === 'valid') return read.policy;
  throw new ConfigInvalid(read.problems.map((problem) => wholeFile(path, problem, 'CCM5003')));
}

/** The bytes of a file with a policy, or with those who sign it. @throws ConfigInvalid where it cannot be read. */
export async function readPolicyBytes(path: string): Promise<Buffer> {
  return readBytes(path).catch((error: unknown) => {
    const why = error instanceof TooLarge ? error.message : unreadable(error);
    throw new ConfigInvalid([wholeFile(path, why, 'CCM5016')]);
  });
}

class TooLarge extends Error {}

async function readBytes(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > LARGEST_FILE_BYTES) throw new TooLarge('it is larger than 1 MiB');
  return readRegular(path);
}
