import { z } from 'zod';
import {
  ACCESS_ROLES,
  type AccessPolicy as Access,
  type AccessRole,
  type OidcKey,
  oidcKeyId,
  type PrincipalKey,
  type TokenIssuer,
} from '../../domain/authority/access-policy.js';
import { rolesFor } from '../../domain/authority/verb-roles.js';
import { digestText } from '../../domain/digest.js';
import { isLogOrigin } from '../../domain/transparency/checkpoint.js';
import { duration, durationMs } from '../duration.js';
import { clusterSelection } from '../kinds/cluster-selection.js';
import { dnsName, kindSchema } from '../kinds/envelope.js';
import { fidoKey, accessKeyOf, personName, publicKey, repeatedOwners } from './public-keys.js';
import { logTimestamps, timestampsOf } from './timestamp-authorities.js';
import { tokenIssuers, tokenOwner } from './token-issuers.js';
import { type InvalidDocument, invalidDocument, readOneDocument } from '../one-document.js';

const principalKey = z
  .strictObject({
    ed25519: publicKey.shape.ed25519.optional(),
    revoked: publicKey.shape.revoked,
    fido: fidoKey.optional(),
    oidc: tokenOwner.optional().meta({
      description: 'In place of ed25519: tokens that an issuer makes for this subject sign.',
    }),
  })
  .transform(({ ed25519, fido, oidc, revoked }, context): WrittenKey => {
    if (ed25519 !== undefined && oidc === undefined) return { ed25519, fido, revoked };
    if (oidc !== undefined && ed25519 === undefined && fido === undefined) return { oidc, revoked };
    context.addIssue({ code: 'custom', message: ONE_KIND });
    return z.NEVER;
  });

const ONE_KIND = 'write ed25519, with fido beside it for a FIDO key, or oidc alone';

type WrittenKey =
  | (z.output<typeof publicKey> & { readonly fido: z.output<typeof fidoKey> | undefined })
  | { readonly oidc: z.output<typeof tokenOwner>; readonly revoked: boolean };

const grant = z.strictObject({
  roles: z.array(z.enum(ACCESS_ROLES)).min(1),
  clusters: clusterSelection('Clusters that it is for; all of them when omitted.'),
  fleets: z.array(dnsName).min(1).optional().meta({
    description:
      'Fleets that it is for, with their clusters; every fleet, and clusters without one, when omitted.',
  }),
});

const principal = z.strictObject({
  name: personName.meta({ description: 'Person or program, as the evidence names it.' }),
  keys: z.array(principalKey).min(1).max(16),
  grants: z.array(grant).min(1).max(64),
});

const worker = z.strictObject({
  name: personName.meta({ description: 'Worker or group of workers, as an audit names it.' }),
  keys: z.array(publicKey).min(1).max(16),
});

const log = z.strictObject({
  origin: z
    .string()
    .refine(isLogOrigin, 'use letters, digits and . _ @ / -')
    .meta({ description: 'Name of the log, as `ccm-migrate audit anchor --init` was given it.' }),
  keys: z.array(publicKey).min(1).max(16),
  independent: z.boolean().default(false).meta({
    description:
      'true: who runs servers and workers can neither write to this log nor sign for it. Otherwise it proves only what --checkpoint or timestamps confirm.',
  }),
  timestamps: logTimestamps.optional(),
});

/** Who may do what, as written. The workers read it; those who ask cannot change it. */
export const WrittenAccess = kindSchema(
  'AccessPolicy',
  z.strictObject({
    version: z.number().int().min(1).max(1_000_000_000).meta({
      description: 'Raise it with each change: an older one than a cluster has seen is refused.',
    }),
    handoverApproval: z.enum(['required', 'asPolicy']).default('asPolicy').meta({
      description:
        'required: each run must ask another person before the handover, whatever its own policy says.',
    }),
    handoverQuorum: z.number().int().min(1).max(8).default(1).meta({
      description: 'How many people must approve a handover, where one must be approved.',
    }),
    validity: z
      .strictObject({
        run: duration(
          '1m',
          '720h',
          'Longest time in which a run or a command may be accepted.',
        ).default('24h'),
        fleet: duration('1m', '8760h', 'The same of a fleet, whose clusters start later.').default(
          '840h',
        ),
      })
      .prefault({}),
    issuers: tokenIssuers,
    principals: z.array(principal).min(1).max(1000),
    workers: z.array(worker).max(1000).default([]).meta({
      description:
        'Keys with which workers sign what they report (CCM_MIGRATE_WORKER_KEY): an audit believes these.',
    }),
    logs: z.array(log).max(16).default([]).meta({
      description:
        'Logs of `ccm-migrate audit anchor`: an audit holds each run against one of them.',
    }),
  }),
).meta({
  title: 'AccessPolicy',
  description: 'Who may start, command and approve runs and fleets.',
});

export type ReadAccessPolicy =
  { readonly kind: 'valid'; readonly policy: Access } | InvalidDocument;

/** Reads a policy, YAML or JSON, as a whole or not at all. */
export function readAccessPolicy(text: string): ReadAccessPolicy {
  const read = readOneDocument(text, WrittenAccess);
  if (read.kind === 'invalid') return read;
  const policy = { ...policyOf(read.content), digest: digestText(text) };
  const problems = [...contradictions(policy), ...unattainable(policy)];
  return problems.length > 0 ? invalidDocument(problems) : { kind: 'valid', policy };
}

function policyOf({ metadata, spec }: z.output<typeof WrittenAccess>): Omit<Access, 'digest'> {
  const { version, handoverApproval, handoverQuorum, validity, principals, workers, logs } = spec;
  const { issuers } = spec;
  return {
    ...{ name: metadata.name, version, handoverApproval, handoverQuorum },
    longestValiditySeconds: {
      run: durationMs(validity.run) / 1000,
      fleet: durationMs(validity.fleet) / 1000,
    },
    workers: workers.map(({ name, keys }) => ({ name, keys: keys.map(accessKeyOf) })),
    logs: logs.map(({ keys, timestamps, ...written }) => ({
      ...written,
      keys: keys.map(accessKeyOf),
      timestamps: timestamps === undefined ? null : timestampsOf(timestamps),
    })),
    principals: principals.map(({ name, keys, grants }) => ({
      name,
      keys: keys.map((each) => principalKeyOf(each, issuers)),
      grants: grants.map(({ roles, clusters, fleets }) => ({
        ...{ roles, clusters, fleets: fleets ?? null },
      })),
    })),
  };
}

function principalKeyOf(written: WrittenKey, issuers: readonly TokenIssuer[]): PrincipalKey {
  if ('oidc' in written) return oidcKeyOf(written, issuers);
  return accessKeyOf(written);
}

/** An issuer that is not described has no key, so that nothing is of it; `contradictions` refuses the policy as well. */
function oidcKeyOf(
  { oidc: { issuer, subject }, revoked }: Extract<WrittenKey, { readonly oidc: unknown }>,
  issuers: readonly TokenIssuer[],
): OidcKey {
  const described = issuers.find((each) => each.issuer === issuer);
  const known = described ?? { issuer, audience: [], keys: [] };
  return { keyId: oidcKeyId(issuer, subject), revoked, oidc: { issuer: known, subject } };
}

/** A quorum that no handover of any cluster could reach. Revoked keys count: a policy that revokes one must always be taken. */
function unattainable({ handoverQuorum, principals }: Access): readonly string[] {
  const approvers = principals.filter(({ grants }) =>
    grants.some(({ roles }) => roles.some((role) => APPROVING.includes(role))),
  );
  return approvers.length >= handoverQuorum || handoverQuorum === 1
    ? []
    : [
        `spec.handoverQuorum: ${String(handoverQuorum)} people must approve a handover, and ${String(approvers.length)} may (role approver)`,
      ];
}

const APPROVING: readonly AccessRole[] = rolesFor('approve', 'ccm');

/** One key of two principals, or one name twice, would leave open who signed. */
function contradictions({ principals, workers, logs }: Access): readonly string[] {
  const named = logs.map(({ origin, keys }) => ({ name: origin, keys }));
  const owners = [...principals, ...workers, ...named];
  const tokens = principals.flatMap((each) => each.keys.filter((one) => 'oidc' in one));
  const isKnown = tokens.every(({ oidc }) => oidc.issuer.keys.length > 0);
  return [
    ...(isKnown ? [] : ['a key is of an issuer that is not in spec.issuers']),
    ...repeatedOwners(owners),
  ];
}
