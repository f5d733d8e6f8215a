import { open } from 'node:fs/promises';
import type { Authority } from '../activities/dependencies.js';
import { failure } from '../activities/failures.js';
import { readAccessPolicy } from '../config/access/access-policy-file.js';
import { clusterLabels } from '../config/cluster-groups.js';
import { unreadable } from '../config/read-documents.js';
import type { AccessPolicy } from '../domain/authority/access-policy.js';
import type { WorkerContext } from './activity-dependencies.js';

/**
 * Who may do what, as the file says now. It is read again when it has changed, so that a revoked key counts at the next step;
 * while it cannot be read or is wrong, nothing is allowed.
 * @throws Error in plain words where it is wrong at the start
 */
export async function openAccessPolicy(
  path: string,
  { findCluster, log }: Pick<WorkerContext, 'findCluster' | 'log'>,
): Promise<Authority> {
  let known = await readIfChanged(path, null);
  log.info({ policy: known.policy.name, version: known.policy.version }, 'access policy');
  return {
    policy: async () => {
      try {
        known = await readIfChanged(path, known);
        return known.policy;
      } catch (error) {
        const why = error instanceof Error ? error.message : 'unknown error';
        throw failure('Unavailable', `nothing is allowed while the access policy is wrong: ${why}`);
      }
    },
    cluster: async (ref) => {
      const found = await findCluster(ref);
      return { name: found.name, labels: clusterLabels(found) };
    },
  };
}

interface KnownPolicy {
  readonly policy: AccessPolicy;
  readonly stamp: string;
}

const WRITABLE_BY_OTHERS = 0o022;
const LARGEST_BYTES = 1024 * 1024;

/** Opened once, so that what is checked is what is read. */
async function readIfChanged(path: string, known: KnownPolicy | null): Promise<KnownPolicy> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new Error(`${path}: ${unreadable(error)}`);
  });
  try {
    const { ino, dev, size, mtimeMs, ctimeMs, mode, uid } = await file.stat();
    const stamp = [dev, ino, size, mtimeMs, ctimeMs].join();
    if (stamp === known?.stamp) return known;
    if ((mode & WRITABLE_BY_OTHERS) !== 0) {
      throw new Error(`${path}: others may write it: chmod 0644`);
    }
    if (uid !== 0 && uid !== process.getuid?.()) {
      throw new Error(`${path}: it belongs to another user: chown root`);
    }
    if (size > LARGEST_BYTES) throw new Error(`${path}: larger than 1 MiB`);
    const read = readAccessPolicy(await file.readFile('utf8'));
    if (read.kind === 'invalid') throw new Error(`${path}: ${read.problems.join('; ')}`);
    return { policy: read.policy, stamp };
  } finally {
    await file.close();
  }
}
