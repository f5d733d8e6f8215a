import { z } from 'zod';
import type { PolicySigners } from '../../domain/authority/policy-signers.js';
import { kindSchema } from '../kinds/envelope.js';
import { type InvalidDocument, invalidDocument, readOneDocument } from '../one-document.js';
import { fidoKey, accessKeyOf, personName, publicKey, repeatedOwners } from './public-keys.js';

const signerKey = publicKey.extend({ fido: fidoKey.optional() });

/** Who must sign an AccessPolicy, as written. It lies beside each worker, where who writes policies cannot change it. */
export const WrittenSigners = kindSchema(
  'PolicySigners',
  z.strictObject({
    quorum: z.number().int().min(1).max(8).meta({
      description: 'How many of the signers must have signed a policy before a worker takes it.',
    }),
    oldestVersion: z.number().int().min(1).max(1_000_000_000).default(1).meta({
      description:
        'An older policy is refused, even a signed one: a cluster that was never changed has seen none.',
    }),
    signers: z
      .array(
        z.strictObject({
          name: personName.meta({ description: 'Person who signs.' }),
          keys: z.array(signerKey).min(1).max(16),
        }),
      )
      .min(1)
      .max(64),
  }),
).meta({
  title: 'PolicySigners',
  description: 'Who must sign an AccessPolicy before workers take it.',
});

export type ReadPolicySigners =
  { readonly kind: 'valid'; readonly signers: PolicySigners } | InvalidDocument;

/** Reads it, YAML or JSON, as a whole or not at all. */
export function readPolicySigners(text: string): ReadPolicySigners {
  const read = readOneDocument(text, WrittenSigners);
  if (read.kind === 'invalid') return read;
  const { quorum, oldestVersion, signers: written } = read.content.spec;
  const signers = written.map(({ name, keys }) => ({
    name,
    keys: keys.map((key) => accessKeyOf(key)),
  }));
  const problems = contradictions({ quorum, oldestVersion, signers });
  return problems.length > 0
    ? invalidDocument(problems)
    : { kind: 'valid', signers: { quorum, oldestVersion, signers } };
}

/** One key of two people, or one person twice, would let one of them be two. */
function contradictions({ quorum, signers }: PolicySigners): readonly string[] {
  const able = signers.filter(({ keys: own }) => own.some(({ revoked }) => !revoked)).length;
  return [
    ...repeatedOwners(signers),
    ...(able < quorum
      ? [`spec.quorum: ${String(quorum)} people must sign, and ${String(able)} have a key`]
      : []),
  ];
}
