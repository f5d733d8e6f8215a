import { z } from 'zod';

/** Where the signatures of a policy are: beside it. */
export function signaturesBeside(policy: string): string {
  return `${policy}.signatures`;
}

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** One line of the file, as JSON. */
const line = z.strictObject({
  /** Digest of the policy file, to its last byte: which text was signed. */
  policy: digest,
  /** Names the key, as in an AccessPolicy. */
  keyid: digest,
  /** Base64. */
  sig: z.string().min(1).max(1024),
});

export type PolicySignature = z.output<typeof line>;

/** The most that signatures of 64 people take. */
export const MOST_SIGNATURES_BYTES = 64 * 1024;

/** Reads a file of signatures. @throws Error in plain words, which begins with the line */
export function readPolicySignatures(text: string): readonly PolicySignature[] {
  return text.split(/\r?\n/).flatMap((each, index) => {
    if (each === '') return [];
    const read = line.safeParse(jsonOf(each), { reportInput: false });
    if (read.success) return [read.data];
    throw new Error(
      `line ${String(index + 1)} is no signature: \`ccm-migrate access sign\` writes them`,
    );
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The text of a file with these. */
export function policySignaturesText(signatures: readonly PolicySignature[]): string {
  return signatures
    .map(({ policy, keyid, sig }) => `${JSON.stringify({ policy, keyid, sig })}\n`)
    .join('');
}
