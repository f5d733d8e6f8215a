import { hash } from 'node:crypto';
import type { PolicySignature } from '../../config/access/policy-signatures.js';
import { policySignerOf, type PolicySigners } from '../../domain/authority/policy-signers.js';
import { exactBase64 } from './exact-base64.js';
import { preAuthenticated, signatureFault } from './signatures.js';

/** What a signature of a policy is over, as DSSE has it: this type and the bytes of the file. No statement can pass for it. */
const POLICY_TYPE = 'application/vnd.ccm-migrate.access-policy+yaml';

/** The bytes that a signer of this policy file signs. */
export function signedPolicyBytes(file: Buffer): Buffer {
  return preAuthenticated(POLICY_TYPE, file);
}

/** Names the text of a policy: `sha256:<hex>` of its bytes. */
export function policyDigest(file: Buffer): string {
  return `sha256:${hash('sha256', file)}`;
}

/** Names of those who signed exactly this file, each once. What proves nothing counts for nothing: anyone can add a line. */
export function policySignedBy(
  signers: PolicySigners,
  file: Buffer,
  signatures: readonly PolicySignature[],
): readonly string[] {
  const [message, digest] = [signedPolicyBytes(file), policyDigest(file)];
  const names = signatures.flatMap(({ policy, keyid, sig }) => {
    const found = policy === digest ? policySignerOf(signers, keyid) : null;
    const bytes = exactBase64(sig);
    if (found === null || bytes === null) return [];
    return signatureFault(found.key, message, bytes) === null ? [found.name] : [];
  });
  return [...new Set(names)];
}
