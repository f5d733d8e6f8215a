import type { AccessKey, AccessPolicy } from './access-policy.js';

/** Who must have signed an access policy before a worker takes it. It is pinned beside the worker, apart from the policy. */
export interface PolicySigners {
  /** How many of them; 1 or more. */
  readonly quorum: number;
  /** An older policy is refused, even a signed one. */
  readonly oldestVersion: number;
  readonly signers: readonly PolicySigner[];
}

export interface PolicySigner {
  readonly name: string;
  readonly keys: readonly AccessKey[];
}

/** Whose key it is; null where it is unknown or signs no more. */
export function policySignerOf(
  { signers }: PolicySigners,
  keyId: string,
): { readonly name: string; readonly key: AccessKey } | null {
  for (const { name, keys } of signers) {
    const key = keys.find((each) => each.keyId === keyId && !each.revoked);
    if (key !== undefined) return { name, key };
  }
  return null;
}

export type JudgedPolicy =
  | { readonly kind: 'taken' }
  /** `why` ends with what to do next. */
  | { readonly kind: 'refused'; readonly why: string };

/** Whether a policy may be taken that these people signed; each counts once, whatever keys they have. */
export function judgePolicy(
  { quorum, oldestVersion, signers }: PolicySigners,
  { version }: Pick<AccessPolicy, 'version'>,
  signedBy: readonly string[],
): JudgedPolicy {
  if (version < oldestVersion) {
    return refused(
      `version ${String(version)} is older than ${String(oldestVersion)}, the oldest that its signers allow`,
    );
  }
  const signed = signers.filter(({ name }) => signedBy.includes(name));
  if (signed.length >= quorum) return { kind: 'taken' };
  const others = signers.filter(({ name }) => !signedBy.includes(name));
  const [who, may] = [signed, others].map((some) => some.map(({ name }) => name).join(', '));
  return refused(
    `signed by ${who === '' ? 'no one' : String(who)}, and it takes ${String(quorum)} of its signers: ${String(may)} may sign with \`ccm-migrate access sign\``,
  );
}

function refused(why: string): JudgedPolicy {
  return { kind: 'refused', why };
}
