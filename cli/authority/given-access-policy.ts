import { readFile, stat } from 'node:fs/promises';
import { readAccessPolicy } from '../../config/access/access-policy-file.js';
import { ConfigInvalid } from '../../config/problems.js';
import { LARGEST_FILE_BYTES, unreadable, wholeFile } from '../../config/read-documents.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import { CliError } from '../cli-error.js';

/** The AccessPolicy of a file that a command names. @throws ConfigInvalid where it is none, or cannot be read. */
export async function givenAccessPolicy(path: string): Promise<AccessPolicy> {
  const text = await readText(path).catch((error: unknown) => {
    throw new ConfigInvalid([wholeFile(path, unreadable(error), 'CCM5016')]);
  });
  const read = readAccessPolicy(text);
  if (read.kind === 'valid') return read.policy;
  throw new ConfigInvalid(read.problems.map((problem) => wholeFile(path, problem, 'CCM5003')));
}

async function readText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > LARGEST_FILE_BYTES) throw new CliError('CCM5016', `${path} is larger than 1 MiB`);
  return readFile(path, 'utf8');
}
