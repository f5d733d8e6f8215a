import { rename, writeFile } from 'node:fs/promises';
import { signedPolicyBytes } from '../../activities/authority/signed-policy.js';
import {
  type PolicySignature,
  policySignaturesText,
  signaturesBeside,
} from '../../config/access/policy-signatures.js';
import { unreadable } from '../../config/read-documents.js';
import {
  judgeSigning,
  type PolicySigning,
  signingDocument,
  signingLine,
  type SignedPolicyFile,
  signedPolicyFile,
} from '../authority/policy-signing.js';
import { signerOf } from '../authority/signing-key.js';
import { type Cli, isText, printDocument } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { counted } from '../terminal/wording.js';

/** `access sign`: adds a signature to those beside a policy. It signs what workers would accept, and nothing else. */
export async function accessSign(cli: Cli): Promise<ExitStatus> {
  const [path = ''] = cli.arguments;
  const file = await signedPolicyFile(path);
  const signature = await signatureOf(cli, file);
  const others = file.signatures.filter(
    ({ policy, keyid }) => policy === file.digest && keyid !== signature.keyid,
  );
  const signatures = [...others, signature];
  await writeSignatures(signaturesBeside(path), signatures);
  const signers = cli.options.text('signers');
  const signing = signers === null ? null : await judgeSigning({ ...file, signatures }, signers);
  report(cli, file, { signature, signatures, signing });
  return 'reached';
}

async function signatureOf(
  cli: Cli,
  { bytes, digest: policy }: SignedPolicyFile,
): Promise<PolicySignature> {
  const signer = await signerOf(cli);
  if (signer === null) throw new UsageError('--key is required: the key that signs the policy');
  if (signer.signBytes === null) {
    throw new UsageError('tokens sign no policy: name the key of a person with --key');
  }
  const { keyId: keyid, sig } = await signer.signBytes(signedPolicyBytes(bytes));
  return { policy, keyid, sig: sig.toString('base64') };
}

/** As a whole or not at all: a worker may read it meanwhile. */
async function writeSignatures(
  path: string,
  signatures: readonly PolicySignature[],
): Promise<void> {
  const next = `${path}.new`;
  try {
    await writeFile(next, policySignaturesText(signatures), { mode: 0o644 });
    await rename(next, path);
  } catch (error) {
    throw new UsageError(`${path}: ${unreadable(error)}`);
  }
}

interface Signed {
  readonly signature: PolicySignature;
  readonly signatures: readonly PolicySignature[];
  readonly signing: PolicySigning | null;
}

function report(
  cli: Cli,
  file: SignedPolicyFile,
  { signature, signatures, signing }: Signed,
): void {
  const { path, digest, policy } = file;
  const written = signaturesBeside(path);
  const { keyid: keyId } = signature;
  if (!isText(cli)) {
    printDocument(cli, 'AccessSignature', {
      ...{ file: path, policy: policy.name, version: policy.version, digest, keyId },
      ...{ signatures: written, count: signatures.length },
      ...(signing === null ? {} : { signing: signingDocument(signing) }),
    });
    return;
  }
  const old = file.signatures.filter((each) => each.policy !== digest).length;
  cli.terminal.out(
    `${[
      `${cli.theme.mark('ok')} ${path}: policy ${policy.name}, version ${String(policy.version)}, signed by key ${keyId}`,
      `  ${written}: ${counted(signatures.length, 'signature')} of this text${old === 0 ? '' : `; ${String(old)} of earlier texts removed`}`,
      ...(signing === null ? [] : [signingLine(cli, path, signing)]),
    ].join('\n')}\n`,
  );
}
