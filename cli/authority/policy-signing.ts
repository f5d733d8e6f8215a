import { policyDigest, policySignedBy } from '../../activities/authority/signed-policy.js';
import { errorCode } from '../../activities/failures.js';
import { readAccessPolicy } from '../../config/access/access-policy-file.js';
import {
  MOST_SIGNATURES_BYTES,
  type PolicySignature,
  readPolicySignatures,
  signaturesBeside,
} from '../../config/access/policy-signatures.js';
import { readPolicySigners } from '../../config/access/policy-signers-file.js';
import { ConfigInvalid } from '../../config/problems.js';
import { unreadable, wholeFile } from '../../config/read-documents.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import { type JudgedPolicy, judgePolicy } from '../../domain/authority/policy-signers.js';
import type { Cli } from '../cli.js';
import { readPolicyBytes } from './given-access-policy.js';
import { readRegularText } from '../../config/regular-file.js';

/** A policy file with the signatures beside it. */
export interface SignedPolicyFile {
  readonly path: string;
  /** To its last byte, as it is signed. */
  readonly bytes: Buffer;
  /** `sha256:<hex>` of them. */
  readonly digest: string;
  readonly policy: AccessPolicy;
  /** Of any text that the file ever had. */
  readonly signatures: readonly PolicySignature[];
}

/** @throws ConfigInvalid where the policy, or the file of signatures, is wrong */
export async function signedPolicyFile(path: string): Promise<SignedPolicyFile> {
  const bytes = await readPolicyBytes(path);
  const read = readAccessPolicy(bytes.toString('utf8'));
  if (read.kind === 'invalid') throw invalid(path, read.problems);
  const signatures = await signaturesIn(signaturesBeside(path));
  return { path, bytes, digest: policyDigest(bytes), policy: read.policy, signatures };
}

async function signaturesIn(path: string): Promise<readonly PolicySignature[]> {
  const text = await readRegularText(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw new ConfigInvalid([wholeFile(path, unreadable(error), 'CCM5016')]);
  });
  try {
    if (text.length > MOST_SIGNATURES_BYTES) throw new Error('it is larger than 64 KiB');
    return readPolicySignatures(text);
  } catch (error) {
    throw invalid(path, [error instanceof Error ? error.message : 'it cannot be read']);
  }
}

function invalid(path: string, problems: readonly string[]): ConfigInvalid {
  return new ConfigInvalid(problems.map((problem) => wholeFile(path, problem, 'CCM5003')));
}

/** What workers with these signers make of it. */
export interface PolicySigning {
  readonly quorum: number;
  readonly signedBy: readonly string[];
  readonly judged: JudgedPolicy;
}

/** @throws ConfigInvalid where the file of signers is wrong */
export async function judgeSigning(
  { policy, bytes, signatures }: SignedPolicyFile,
  signersPath: string,
): Promise<PolicySigning> {
  const text = (await readPolicyBytes(signersPath)).toString('utf8');
  const read = readPolicySigners(text);
  if (read.kind === 'invalid') throw invalid(signersPath, read.problems);
  const signedBy = policySignedBy(read.signers, bytes, signatures);
  const judged = judgePolicy(read.signers, policy, signedBy);
  return { quorum: read.signers.quorum, signedBy, judged };
}

/** The same in a document. */
export function signingDocument({ quorum, signedBy, judged }: PolicySigning) {
  return { quorum, signedBy: [...signedBy], taken: judged.kind === 'taken' };
}

/** What workers make of the signatures, as a line. */
export function signingLine(
  { theme }: Pick<Cli, 'theme'>,
  path: string,
  { quorum, signedBy, judged }: PolicySigning,
): string {
  switch (judged.kind) {
    case 'taken':
      return `${theme.mark('ok')} ${path}: signed by ${signedBy.join(', ')}, and it takes ${String(quorum)}`;
    case 'refused':
      return `${theme.mark('failed')} ${path}: ${judged.why}`;
  }
}
