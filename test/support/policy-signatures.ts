import { sign } from 'node:crypto';
import { policyDigest, signedPolicyBytes } from '../../activities/authority/signed-policy.js';
import { policySignaturesText } from '../../config/access/policy-signatures.js';
import type { TestPrincipal } from './signing.js';

/** The file of signatures beside a policy with this text, signed with the keys of these people. */
export function signaturesText(policy: string, by: readonly (TestPrincipal | undefined)[]): string {
  const file = Buffer.from(policy);
  return policySignaturesText(
    by.flatMap((each) => {
      if (each === undefined) return [];
      const sig = sign(null, signedPolicyBytes(file), each.key).toString('base64');
      return [{ policy: policyDigest(file), keyid: each.keyId, sig }];
    }),
  );
}
