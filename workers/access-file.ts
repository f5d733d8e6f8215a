import { policySignedBy } from '../activities/authority/signed-policy.js';
import type { Authority } from '../activities/dependencies.js';
import { failure } from '../activities/failures.js';
import { readAccessPolicy } from '../config/access/access-policy-file.js';
import {
  MOST_SIGNATURES_BYTES,
  readPolicySignatures,
  signaturesBeside,
} from '../config/access/policy-signatures.js';
import { readPolicySigners } from '../config/access/policy-signers-file.js';
import { clusterLabels } from '../config/cluster-groups.js';
import type { AccessPolicy } from '../domain/authority/access-policy.js';
import { judgePolicy, type PolicySigners } from '../domain/authority/policy-signers.js';
import type { WorkerContext } from './activity-dependencies.js';
import { trustedFile, untilUnchanged } from './trusted-file.js';

export interface PolicyFiles {
  readonly policy: string;
  /** Names who must have signed the policy; null where it counts as it is. */
  readonly signers: string | null;
}

/**
 * Who may do what, as the file says now. It is read again when it has changed, so that a revoked key counts at the next step;
 * while it cannot be read or is wrong, or too few have signed it, nothing is allowed.
 * @throws Error in plain words where it is wrong at the start
 */
export async function openAccessPolicy(
  files: PolicyFiles,
  { findCluster, log }: Pick<WorkerContext, 'findCluster' | 'log'>,
  rest = untilUnchanged,
): Promise<Authority> {
  const read = policyReader(files, rest);
  const { name, version } = await read();
  log.info({ policy: name, version, signed: files.signers !== null }, 'access policy');
  return {
    policy: async () => {
      try {
        return await read();
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

const LARGEST_BYTES = 1024 * 1024;
const UNSIGNED = ', and the policy must be signed: `ccm-migrate access sign` writes it';

/** Reads the policy, and judges its signatures again once one of the files has changed, and only then: each step asks. */
function policyReader(
  { policy: path, signers }: PolicyFiles,
  rest: () => Promise<unknown>,
): () => Promise<AccessPolicy> {
  const policyFile = trustedFile({ path, most: LARGEST_BYTES, parse: policyIn, rest });
  if (signers === null) return async () => (await policyFile()).policy;
  const signersFile = trustedFile({ path: signers, most: LARGEST_BYTES, parse: signersIn, rest });
  const signaturesFile = trustedFile({
    ...{ rest, path: signaturesBeside(path), most: MOST_SIGNATURES_BYTES, ifMissing: UNSIGNED },
    parse: (bytes) => readPolicySignatures(bytes.toString('utf8')),
  });
  let taken: readonly unknown[] = [];
  return async () => {
    const read = [await policyFile(), await signersFile(), await signaturesFile()] as const;
    const [file, must, signatures] = read;
    if (read.every((each, index) => each === taken[index])) return file.policy;
    const judged = judgePolicy(must, file.policy, policySignedBy(must, file.bytes, signatures));
    if (judged.kind === 'refused') throw new Error(`${path}: ${judged.why}`);
    taken = read;
    return file.policy;
  };
}

function policyIn(bytes: Buffer): { readonly policy: AccessPolicy; readonly bytes: Buffer } {
  const read = readAccessPolicy(bytes.toString('utf8'));
  if (read.kind === 'invalid') throw new Error(read.problems.join('; '));
  return { policy: read.policy, bytes };
}

function signersIn(bytes: Buffer): PolicySigners {
  const read = readPolicySigners(bytes.toString('utf8'));
  if (read.kind === 'invalid') throw new Error(read.problems.join('; '));
  return read.signers;
}
