import { randomBytes } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import type { ApiRequester } from './requester.js';
import type { CertificateAuthority, Identity } from './certificates.js';

/** What a client presents: the Authorization header, and its certificate when the authority signed it. */
export interface Shown {
  readonly authorization: string;
  readonly certificate: PeerCertificate | null;
}

/** Who may access one cluster, by bearer token or client certificate. */
export class Credentials {
  private readonly tokens = new Map<string, ApiRequester>();
  private readonly cluster: string;
  private readonly authority: CertificateAuthority;

  constructor(cluster: string, authority: CertificateAuthority) {
    this.cluster = cluster;
    this.authority = authority;
  }

  issueToken(requester: ApiRequester): string {
    const token = randomBytes(24).toString('base64url');
    this.tokens.set(token, requester);
    return token;
  }

  issueCertificate({ user, groups }: ApiRequester): Identity {
    return this.authority.issueClient(user, groups, this.cluster);
  }

  /** Null when the request has no credential, or one that is not valid for this cluster. */
  authenticate({ authorization, certificate }: Shown): ApiRequester | null {
    const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
    if (token !== undefined) return this.tokens.get(token) ?? null;
    return certificate === null ? null : this.holderOf(certificate);
  }

  private holderOf({ subject }: PeerCertificate): ApiRequester | null {
    const units = texts(subject.OU);
    const [user] = texts(subject.CN);
    if (user === undefined || !units.includes(this.cluster)) return null;
    return { user, groups: texts(subject.O) };
  }
}

/** A subject member that occurs several times is a list. */
function texts(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
