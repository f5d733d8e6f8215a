import { z } from 'zod';
import type { AccessKey } from '../../domain/authority/access-policy.js';
import { digestText } from '../../domain/digest.js';
import { fidoMember, parseSshPublicKey, SSH_APPLICATION } from './ssh-public-key.js';

/** SPKI of an Ed25519 key in DER (RFC 8410): these 12 bytes, then the 32 of the key. */
const ED25519_SPKI = /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/;

/** One key has one spelling, so that none is given twice, and every verifier reads the same. */
function otherSpelling(written: unknown): string {
  if (typeof written !== 'string' || !IS_OF_SSH.test(written)) return WRITE_THE_LINE;
  try {
    const { publicKey, application } = parseSshPublicKey(written);
    const beside = application === null ? '' : ` and beside it ${fidoMember(application)}`;
    return `this is how ssh writes it; write ${publicKey}${beside}`;
  } catch (error) {
    return error instanceof Error ? error.message : WRITE_THE_LINE;
  }
}

const IS_OF_SSH = /^(?:ssh-|ecdsa-|sk-)/;
const WRITE_THE_LINE =
  'write the one line that `ccm-migrate access init` or `ccm-migrate access key` prints';

/** A key that signs by itself. */
export const publicKey = z.strictObject({
  ed25519: z
    .string()
    .regex(ED25519_SPKI, { error: ({ input }) => otherSpelling(input) })
    .meta({ description: 'Public Ed25519 key: the line between the marks of its PEM file.' }),
  revoked: z.boolean().default(false).meta({
    description: 'Signs nothing any more. What it began holds at its next safe point.',
  }),
});

/** Made to be touched: programs have other keys. */
export const fidoKey = z
  .strictObject({
    application: z.string().regex(SSH_APPLICATION, 'begin with ssh:').meta({
      description:
        'What the key was made for: `ssh:` unless `ssh-keygen -O application=` said otherwise.',
    }),
    pin: z.boolean().default(false).meta({
      description:
        'true: each signature must have asked for its PIN or a known finger (`ssh-keygen -O verify-required`).',
    }),
  })
  .meta({
    description:
      'For a FIDO key, ed25519-sk: what `ccm-migrate access key` prints. Each signature takes a touch.',
  });

/** Whose key it is: a person or a program. */
export const personName = z
  .string()
  .regex(/^[\w.@+/-]{1,128}$/, 'use letters, digits and . _ @ + / -');

/** A key as written, with `fido` where it is one. */
export function accessKeyOf({
  ed25519: spki,
  revoked,
  fido,
}: z.output<typeof publicKey> & {
  readonly fido?: z.output<typeof fidoKey> | undefined;
}): AccessKey {
  return { keyId: keyIdOf(spki), spki, revoked, ...(fido === undefined ? {} : { fido }) };
}

/** Names a public key, given as its SPKI in base64. */
export function keyIdOf(spki: string): string {
  return digestText(spki);
}

/** What would leave open who signed: one name twice, in whatever case, or one key of two owners. */
export function repeatedOwners(
  owners: readonly {
    readonly name: string;
    readonly keys: readonly { readonly keyId: string }[];
  }[],
): readonly string[] {
  const names = owners.map(({ name }) => name.toLowerCase());
  const keys = owners.flatMap(({ keys: own }) => own.map(({ keyId }) => keyId));
  return [
    ...(new Set(names).size < names.length ? ['one name is given twice'] : []),
    ...(new Set(keys).size < keys.length ? ['one key is given twice'] : []),
  ];
}
