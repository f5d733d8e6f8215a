import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Authority } from '../../activities/dependencies.js';
import { preAuthenticated, signBytes } from '../../activities/authority/signatures.js';
import { recordSigner } from '../../activities/authority/record-signatures.js';
import type { RecordSigner } from '../../activities/evidence/record-signer.js';
import { keyIdOf } from '../../config/access/public-keys.js';
import {
  type AccessGrant,
  type AccessPolicy,
  type AccessPrincipal,
  type AccessRole,
  type AccessWorker,
  oidcKeyId,
  type PrincipalKey,
} from '../../domain/authority/access-policy.js';
import { PAYLOAD_TYPE, type Envelope } from '../../domain/authority/signed-envelope.js';
import { statementText, type Statement } from '../../domain/authority/statement.js';
import { tapped, type Tap } from './fido-token.js';
import { audienceOf, issuerOf, type OwnIssuerKey, type Says, tokenOf } from './token-issuer.js';

/** Who signs in a test, in whatever way. */
export interface Signatory extends AccessPrincipal {
  readonly sign: (statement: Statement) => Envelope;
}

/** A principal with its key, as a test needs it. */
export interface TestPrincipal extends Signatory {
  readonly key: KeyObject;
  readonly keyId: string;
}

export function testPrincipal(name: string, ...roles: AccessRole[]): TestPrincipal {
  const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const keyId = keyIdOf(spki);
  return {
    ...{ name, key, keyId, keys: [{ keyId, spki, revoked: false }] },
    grants: [{ roles, clusters: {}, fleets: null }],
    sign: (statement) => signedByFile({ key, keyId }, statement),
  };
}

/** A worker as an access policy names it, and what signs its records. */
export interface TestWorker extends AccessWorker, OwnKey {
  readonly signer: RecordSigner;
}

export function testWorker(name: string): TestWorker {
  const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const keyId = keyIdOf(spki);
  const signer = recordSigner({ key, keyId, publicKey: spki });
  return { name, key, keyId, keys: [{ keyId, spki, revoked: false }], signer };
}

type OwnKey = Pick<TestPrincipal, 'key' | 'keyId'>;

/** A statement as a key file signs it. */
export function signedByFile({ key, keyId }: OwnKey, statement: Statement): Envelope {
  const bytes = Buffer.from(statementText(statement));
  return envelopeOf(bytes, keyId, signBytes(PAYLOAD_TYPE, bytes, key));
}

function envelopeOf(bytes: Buffer, keyid: string, sig: string): Envelope {
  const payload = bytes.toString('base64');
  return { payloadType: PAYLOAD_TYPE, payload, signatures: [{ keyid, sig }] };
}

/** The same with a FIDO key, which is touched for each signature. */
export function fidoPrincipal(name: string, ...roles: AccessRole[]): TestPrincipal {
  const person = testPrincipal(name, ...roles);
  return {
    ...person,
    keys: person.keys.map((key) => ({ ...key, fido: { application: 'ssh:', pin: false } })),
    sign: (statement) => tappedEnvelope(person, statement),
  };
}

/** A statement as a FIDO key signs it when it is tapped so. */
export function tappedEnvelope(
  { key, keyId }: OwnKey,
  statement: Statement,
  tap: Tap = {},
): Envelope {
  const bytes = Buffer.from(statementText(statement));
  const sig = tapped(key, preAuthenticated(PAYLOAD_TYPE, bytes), tap);
  return envelopeOf(bytes, keyId, sig.toString('base64'));
}

export const ISSUER = 'https://issuer.example';

/** The same with tokens that an issuer makes for the subject `repo:NAME`. */
export function tokenPrincipal(
  name: string,
  made: OwnIssuerKey,
  ...roles: AccessRole[]
): Signatory & { readonly keyId: string; readonly made: OwnIssuerKey } {
  const oidc = { issuer: issuerOf(ISSUER, [made]), subject: `repo:${name}` };
  const keyId = oidcKeyId(ISSUER, oidc.subject);
  return {
    ...{ name, keyId, made, keys: [{ keyId, revoked: false, oidc }] },
    grants: [{ roles, clusters: {}, fleets: null }],
    sign: (statement) => tokenEnvelope({ keyId, made, subject: oidc.subject }, statement),
  };
}

interface TokenOwner {
  readonly keyId: string;
  readonly made: Pick<OwnIssuerKey, 'kid' | 'algorithm' | 'key'>;
  readonly subject: string;
}

/** A statement as a token signs it that says so; `undefined` leaves a claim out. */
export function tokenEnvelope(
  { keyId, made, subject }: TokenOwner,
  statement: Statement,
  claims: Says = {},
  header: Says | string = {},
): Envelope {
  const bytes = Buffer.from(statementText(statement));
  const iat = statement.notBefore;
  const usual = { iss: ISSUER, sub: subject, iat, nbf: iat, exp: iat + 300 };
  const aud = audienceOf(preAuthenticated(PAYLOAD_TYPE, bytes));
  const token = tokenOf(made, { ...usual, aud, ...claims }, header);
  return envelopeOf(bytes, keyId, Buffer.from(token).toString('base64'));
}

export function accessPolicy(
  principals: readonly AccessPrincipal[],
  changes: Partial<AccessPolicy> = {},
): AccessPolicy {
  return {
    ...{
      name: 'test',
      version: 1,
      handoverApproval: 'asPolicy',
      handoverQuorum: 1,
      principals,
      workers: [],
      logs: [],
    },
    digest: 'sha256:policy',
    longestValiditySeconds: { run: 86_400, fleet: 86_400 * 35 },
    ...changes,
  };
}

/** The same policy where these people have these grants, and no others. */
export function granting(
  policy: AccessPolicy,
  grants: Readonly<Record<string, readonly Partial<AccessGrant>[]>>,
): AccessPolicy {
  const principals = policy.principals.map((each) => {
    const given = grants[each.name]?.map((grant) => ({ ...NO_GRANT, ...grant }));
    return given === undefined ? each : { ...each, grants: given };
  });
  return { ...policy, principals };
}

const NO_GRANT: AccessGrant = { roles: [], clusters: {}, fleets: null };

/** The same as a file: JSON, as the second verifier reads no other. `issuers`: as it describes those of tokens. */
export function accessPolicyFile(
  { version, handoverQuorum, principals, workers }: AccessPolicy,
  issuers: readonly object[] = [],
): string {
  return JSON.stringify({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AccessPolicy', metadata: { name: 'test' } },
    spec: {
      ...{ version, handoverQuorum, issuers },
      principals: principals.map(({ name, keys, grants }) => ({
        ...{ name, keys: keys.map(writtenKey) },
        grants: grants.map(({ roles, clusters, fleets }) => ({
          ...{ roles, clusters },
          ...(fleets && { fleets }),
        })),
      })),
      workers: workers.map(({ name, keys }) => ({ name, keys: keys.map(writtenKey) })),
    },
  });
}

function writtenKey(key: PrincipalKey): object {
  const { revoked } = key;
  if (!('oidc' in key)) return { ed25519: key.spki, revoked, ...(key.fido && { fido: key.fido }) };
  const { issuer, subject } = key.oidc;
  return { oidc: { issuer: issuer.issuer, subject }, revoked };
}

/** A worker's, of clusters without labels; the policy may change while it runs. */
export function authorityBy(policy: () => AccessPolicy): Authority {
  return {
    policy: () => Promise.resolve(policy()),
    cluster: ({ name }) => Promise.resolve({ name, labels: new Map() }),
  };
}
