import { digestJson } from '../digest.js';

/** What a principal may ask for: domain/authority/verb-roles.ts. */
export const ACCESS_ROLES = [
  'requester',
  'approver',
  'operator',
  'automation',
  'breakGlass',
] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];

/** Who may do what: read by the workers, never by those who ask. */
export interface AccessPolicy {
  readonly name: string;
  /** Of the file's text, `sha256:<hex>`: which of all policies it is. */
  readonly digest: string;
  /** Rises with each change: a worker refuses an older one than a cluster has seen. */
  readonly version: number;
  /** Whether each run must ask another person before the handover, whatever its own policy says. */
  readonly handoverApproval: 'required' | 'asPolicy';
  /** How many other people must approve a handover where one must be approved; 1 or more. */
  readonly handoverQuorum: number;
  /** The longest time for which a statement may be accepted, in seconds. */
  readonly longestValiditySeconds: { readonly run: number; readonly fleet: number };
  readonly principals: readonly AccessPrincipal[];
  /** Whose reports an audit believes; they may ask for nothing. */
  readonly workers: readonly AccessWorker[];
  /** Logs that an audit holds runs against. */
  readonly logs: readonly AccessLog[];
}

export interface AccessLog {
  /** Its name, as its checkpoints have it. */
  readonly origin: string;
  readonly keys: readonly AccessKey[];
  /** Who runs servers and workers can neither write to it nor sign for it. */
  readonly independent: boolean;
  /** Whose timestamps of it count; null where none do. */
  readonly timestamps: LogTimestamps | null;
}

/** Authorities (RFC 3161) that say when a log was there. */
export interface LogTimestamps {
  /** Certificates of CAs, in DER, in base64: that of a timestamp leads up to one of them. */
  readonly authorities: readonly string[];
  /** The longest time from an event to the timestamp over it. */
  readonly withinSeconds: number;
}

export interface AccessWorker {
  readonly name: string;
  readonly keys: readonly AccessKey[];
}

export interface AccessPrincipal {
  readonly name: string;
  readonly keys: readonly PrincipalKey[];
  readonly grants: readonly AccessGrant[];
}

export interface AccessKey {
  /** `sha256:<hex>` of `spki`. */
  readonly keyId: string;
  /** The public key, as its SPKI in DER, in base64. */
  readonly spki: string;
  readonly revoked: boolean;
  /** Set for a FIDO key, which signs in its own way. */
  readonly fido?: FidoKey;
}

export interface FidoKey {
  /** What the key was made for; its digest is in each signature. */
  readonly application: string;
  /** Whether each signature must have asked for the PIN, or a known finger, and not for a touch alone. */
  readonly pin: boolean;
}

/** How a principal signs: with a key of its own, or with tokens that an issuer makes for it. */
export type PrincipalKey = AccessKey | OidcKey;

export interface OidcKey {
  /** `sha256:<hex>` of issuer and subject: `oidcKeyId`. */
  readonly keyId: string;
  readonly revoked: boolean;
  readonly oidc: {
    readonly issuer: TokenIssuer;
    /** Exactly as `sub` of its tokens says it. */
    readonly subject: string;
  };
}

/** Who makes tokens, with the keys that the policy pins: nothing is ever fetched. */
export interface TokenIssuer {
  /** Exactly as `iss` of its tokens says it. */
  readonly issuer: string;
  /** What `aud` may be in tokens that name the statement in `nonce`; empty where they must name it in `aud`. */
  readonly audience: readonly string[];
  readonly keys: readonly IssuerKey[];
}

/** Algorithms of RFC 7518 and RFC 8037 that are taken; each kind of key has exactly one. */
export type TokenAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

export interface IssuerKey {
  readonly kid: string;
  readonly algorithm: TokenAlgorithm;
  /** SPKI in DER, in base64. */
  readonly spki: string;
}

/** Names the tokens of an issuer for a subject, as a key's digest names a key. */
export function oidcKeyId(issuer: string, subject: string): string {
  return digestJson({ issuer, subject });
}

export interface AccessGrant {
  readonly roles: readonly AccessRole[];
  /** Names and labels that a cluster must have; without both it is every cluster. */
  readonly clusters: {
    readonly names?: readonly string[] | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
  /** Names of fleets; null for every fleet. */
  readonly fleets: readonly string[] | null;
}

/** What a request is about. */
export interface AccessSubject {
  /** Null for a fleet as a whole. */
  readonly cluster: {
    readonly name: string;
    readonly labels: ReadonlyMap<string, string>;
  } | null;
  /** Empty for a run of its own. */
  readonly fleet: string;
}

/** The roles that a principal has there, in the order of `ACCESS_ROLES`. */
export function rolesOf(
  { grants }: AccessPrincipal,
  subject: AccessSubject,
): readonly AccessRole[] {
  const granted = new Set(
    grants.filter((grant) => covers(grant, subject)).flatMap(({ roles }) => roles),
  );
  return ACCESS_ROLES.filter((role) => granted.has(role));
}

function covers({ clusters, fleets }: AccessGrant, { cluster, fleet }: AccessSubject): boolean {
  const { names, labels = {} } = clusters;
  if (cluster === null) {
    // Who has some clusters only has no say over all of a fleet, unless it is named.
    const isWhole = names === undefined && Object.keys(labels).length === 0;
    return fleets === null ? isWhole : fleets.includes(fleet);
  }
  if (fleets !== null && !fleets.includes(fleet)) return false;
  const isNamed = names === undefined || names.includes(cluster.name);
  return (
    isNamed && Object.entries(labels).every(([key, value]) => cluster.labels.get(key) === value)
  );
}

/** Whose key it is, revoked or not; null where it is unknown. */
export function principalOfKey(
  { principals }: AccessPolicy,
  keyId: string,
): { readonly principal: AccessPrincipal; readonly key: PrincipalKey } | null {
  return ownerOf(principals, keyId, (principal, key) => ({ principal, key }));
}

function ownerOf<Owner, Key extends { readonly keyId: string }, Found>(
  owners: readonly (Owner & { readonly keys: readonly Key[] })[],
  keyId: string,
  found: (owner: Owner, key: Key) => Found,
): Found | null {
  for (const owner of owners) {
    const key = owner.keys.find((each) => each.keyId === keyId);
    if (key !== undefined) return found(owner, key);
  }
  return null;
}

/** The worker that has this key, revoked or not; null where it is unknown. */
export function workerOfKey(
  { workers }: AccessPolicy,
  keyId: string,
): { readonly worker: AccessWorker; readonly key: AccessKey } | null {
  return ownerOf(workers, keyId, (worker, key) => ({ worker, key }));
}
