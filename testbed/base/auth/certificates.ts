import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { isIPv4 } from 'node:net';
import * as der from './der.js';

/** A certificate with its private key, both PEM. */
export interface Identity {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export interface CertificateAuthority {
  readonly certificatePem: string;
  /** Only for a key that must exist in a file, as kubeadm keeps it on each control-plane node. */
  exportPrivateKey(): string;
  /** Issues a server certificate for names and IPv4 addresses. */
  issueServer(hosts: readonly string[], options?: ServerOptions): Identity;
  /** A server certificate that is also valid as a client, as etcd members use among each other. */
  issuePeer(hosts: readonly string[]): Identity;
  /**
   * Issues a client certificate; Kubernetes reads the user from CN and the groups from O. One authority serves all
   * clusters of a process, so OU names the one cluster for which the certificate is valid.
   */
  issueClient(user: string, groups: readonly string[], cluster: string): Identity;
}

export interface ServerOptions {
  /** Key of an earlier certificate, PEM; a new key by default. */
  readonly privateKeyPem?: string;
  /** Ten years from now by default. */
  readonly notAfter?: Date;
}

const OID = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

const YEARS = 10;
/** Tolerates clocks that are behind. */
const BACKDATE_MS = 24 * 3600 * 1000;

interface Request {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly notAfter: Date;
  readonly extensions: readonly Buffer[];
}

function distinguishedName(
  commonName: string,
  organizations: readonly string[] = [],
  units: readonly string[] = [],
): Buffer {
  const attribute = (oid: string, text: string): Buffer =>
    der.setOf(der.sequence(der.objectIdentifier(oid), der.utf8String(text)));
  return der.sequence(
    ...organizations.map((name) => attribute(OID.organization, name)),
    ...units.map((name) => attribute(OID.organizationalUnit, name)),
    attribute(OID.commonName, commonName),
  );
}

function extension(oid: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(oid), ...flag, der.octetString(value));
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1').update(spki(key)).digest();
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** RFC 5280 section 4.1: TBSCertificate, algorithm, signature. */
function certificate(request: Request): string {
  const algorithm = der.sequence(der.objectIdentifier(OID.ecdsaWithSha256));
  const notBefore = new Date(Date.now() - BACKDATE_MS);
  const body = der.sequence(
    der.tagged(0, der.smallInteger(2)),
    der.integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    request.issuer,
    der.sequence(der.derTime(notBefore), der.derTime(request.notAfter)),
    request.subject,
    spki(request.publicKey),
    der.tagged(3, der.sequence(...request.extensions)),
  );
  const signature = sign('sha256', body, request.signingKey);
  const whole = der.sequence(body, algorithm, der.bitString(signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function yearsFromNow(): Date {
  const end = new Date();
  end.setUTCFullYear(end.getUTCFullYear() + YEARS);
  return end;
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  readonly pem: string;
}

function newKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey,
    privateKey,
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function knownKeyPair(pem: string): KeyPair {
  return { publicKey: createPublicKey(pem), privateKey: createPrivateKey(pem), pem };
}

function alternativeName(host: string): Buffer {
  return isIPv4(host)
    ? der.element(0x87, Buffer.from(host.split('.').map(Number)))
    : der.element(0x82, Buffer.from(host, 'ascii'));
}

interface Issuer {
  readonly name: Buffer;
  readonly key: KeyObject;
  readonly keyId: Buffer;
}

interface Leaf {
  readonly subject: Buffer;
  /** Extended key usages. */
  readonly purposes: readonly string[];
  readonly extras?: readonly Buffer[];
  /** A new key pair by default. */
  readonly keys?: KeyPair;
  readonly notAfter?: Date;
}

/** Issues a certificate with a key of its own. */
function issueLeaf(issuer: Issuer, leaf: Leaf): Identity {
  const { subject, purposes, extras = [], keys: own = newKeyPair() } = leaf;
  const { notAfter = yearsFromNow() } = leaf;
  const extensions = [
    extension(OID.basicConstraints, true, der.sequence()),
    // digitalSignature: bit 0.
    extension(OID.keyUsage, true, der.bitString(Buffer.from([0x80]), 7)),
    extension(OID.extendedKeyUsage, false, der.sequence(...purposes.map(der.objectIdentifier))),
    extension(OID.subjectKeyIdentifier, false, der.octetString(keyIdentifier(own.publicKey))),
    extension(OID.authorityKeyIdentifier, false, der.sequence(der.element(0x80, issuer.keyId))),
    ...extras,
  ];
  const certificatePem = certificate({
    ...{ subject, issuer: issuer.name, publicKey: own.publicKey, signingKey: issuer.key },
    ...{ notAfter, extensions },
  });
  return { certificatePem, privateKeyPem: own.pem };
}

function leafFor(hosts: readonly string[], purposes: readonly string[]): Leaf {
  return {
    subject: distinguishedName(hosts[0] ?? 'localhost'),
    purposes,
    extras: [extension(OID.subjectAltName, false, der.sequence(...hosts.map(alternativeName)))],
  };
}

/** A new authority with a P-256 key that exists only in memory. */
export function createAuthority(name: string): CertificateAuthority {
  const keys = newKeyPair();
  const subject = distinguishedName(name);
  const issuer = { name: subject, key: keys.privateKey, keyId: keyIdentifier(keys.publicKey) };
  const certificatePem = certificate({
    subject,
    issuer: subject,
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    notAfter: yearsFromNow(),
    extensions: [
      extension(OID.basicConstraints, true, der.sequence(der.boolean(true))),
      // keyCertSign and cRLSign: bits 5 and 6.
      extension(OID.keyUsage, true, der.bitString(Buffer.from([0x06]), 1)),
      extension(OID.subjectKeyIdentifier, false, der.octetString(issuer.keyId)),
    ],
  });
  return {
    certificatePem,
    exportPrivateKey: () => keys.pem,
    issueServer: (hosts, { privateKeyPem, notAfter } = {}) =>
      issueLeaf(issuer, {
        ...leafFor(hosts, [OID.serverAuth]),
        ...(privateKeyPem === undefined ? {} : { keys: knownKeyPair(privateKeyPem) }),
        ...(notAfter === undefined ? {} : { notAfter }),
      }),
    issuePeer: (hosts) => issueLeaf(issuer, leafFor(hosts, [OID.serverAuth, OID.clientAuth])),
    issueClient: (user, groups, cluster) =>
      issueLeaf(issuer, {
        subject: distinguishedName(user, groups, [cluster]),
        purposes: [OID.clientAuth],
      }),
  };
}
