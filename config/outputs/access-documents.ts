import { z } from 'zod';
import { outputSchema } from './parts.js';

/** `access init`. */
export const AccessFiles = outputSchema('AccessFiles', {
  signingKey: z.string().meta({
    description:
      'What `--key` takes: the path of the key that was made (mode 0600), or the key that was named.',
  }),
  workerKey: z.string().meta({ description: 'Path of the key of workers; its mode is 0600.' }),
  accessPolicy: z.string().meta({ description: 'Path of the AccessPolicy.' }),
  principal: z.string(),
});

/** `access key`. */
export const AccessKeyLine = outputSchema('AccessKeyLine', {
  key: z.string().meta({ description: 'As it was named.' }),
  ed25519: z.string().meta({ description: 'The public half, as an AccessPolicy names it.' }),
  keyId: z.string().meta({ description: 'As statements name it.' }),
  fingerprint: z.string().meta({ description: 'As `ssh-add -l` prints it.' }),
  fido: z
    .object({ application: z.string() })
    .optional()
    .meta({ description: 'Of a FIDO key only, for the AccessPolicy, too.' }),
});

/** `access issuer`: both parts are of an AccessPolicy, the principal without its grants. */
export const AccessIssuer = outputSchema('AccessIssuer', {
  file: z.string(),
  issuer: z
    .object({ issuer: z.string(), keys: z.array(z.record(z.string(), z.unknown())) })
    .meta({ description: 'One of spec.issuers.' }),
  principal: z
    .object({
      name: z.string(),
      keys: z.array(z.object({ oidc: z.object({ issuer: z.string(), subject: z.string() }) })),
    })
    .meta({ description: 'One of spec.principals; its grants are for people to write.' }),
});

const signing = z.object({
  quorum: z.number().int().meta({ description: 'How many of the signers it takes.' }),
  signedBy: z.array(z.string()).meta({ description: 'Who signed this very text.' }),
  taken: z.boolean().meta({ description: 'Whether workers with these signers take the policy.' }),
});

/** `access sign`. */
export const AccessSignature = outputSchema('AccessSignature', {
  file: z.string(),
  policy: z.string(),
  version: z.number().int(),
  digest: z.string().meta({ description: 'Of the file, to its last byte.' }),
  keyId: z.string().meta({ description: 'The key that signed, as statements name it.' }),
  signatures: z.string().meta({ description: 'Path of the signatures.' }),
  count: z.number().int().meta({ description: 'How many of this text are there now.' }),
  signing: signing.optional().meta({ description: 'With --signers.' }),
});

/** `access check`. */
export const AccessCheck = outputSchema('AccessCheck', {
  file: z.string(),
  policy: z.string(),
  version: z.number().int(),
  handoverQuorum: z.number().int(),
  principals: z.array(z.string()),
  tokens: z
    .array(
      z.object({
        principal: z.string(),
        issuer: z.string(),
        subject: z.string(),
        keyId: z.string().meta({ description: 'As statements name it.' }),
        revoked: z.boolean(),
      }),
    )
    .meta({ description: 'Whose tokens sign for a principal, beside keys.' }),
  signing: signing.optional().meta({ description: 'With --signers.' }),
});

/** `access explain`. */
export const AccessExplanation = outputSchema('AccessExplanation', {
  file: z.string(),
  cluster: z.string().meta({ description: 'Empty where it is about a fleet.' }),
  fleet: z.string().meta({ description: 'Empty where it is about a cluster of its own.' }),
  handover: z
    .object({ quorum: z.number().int(), approvers: z.array(z.string()) })
    .meta({ description: 'How many must approve a handover there, and who may.' }),
  principals: z.array(
    z.object({
      principal: z.string(),
      roles: z.array(z.string()),
      tokens: z
        .array(z.object({ issuer: z.string(), subject: z.string() }))
        .meta({ description: 'Whose tokens sign for it; none where keys alone do.' }),
      verbs: z.array(
        z.object({
          verb: z.string(),
          target: z.string().meta({
            description: '`kcm` for a run toward it, which takes other roles; else empty.',
          }),
          allowed: z.boolean(),
          why: z.string(),
        }),
      ),
    }),
  ),
});

/** `access role` and `access grants`. */
export const AccessObjects = outputSchema('AccessObjects', {
  cluster: z.string(),
  objects: z
    .array(z.looseObject({ apiVersion: z.string(), kind: z.string() }))
    .meta({ description: 'Complete Kubernetes objects.' }),
});

/** `access payload-key`. */
export const PayloadKeyFile = outputSchema('PayloadKeyFile', {
  file: z.string(),
  id: z.string().meta({ description: 'The key that was added, or is used now.' }),
  current: z.string().meta({ description: 'The key that encrypts.' }),
  keys: z.array(z.string()).meta({ description: 'Ids of all keys; the first encrypts.' }),
});
