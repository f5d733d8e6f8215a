import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Authority } from '../../activities/dependencies.js';
import { preAuthenticated, signBytes } from '../../activities/authority/signatures.js';
import { keyIdOf } from '../../config/access/access-policy-file.js';
import type {
  AccessPolicy,
  AccessPrincipal,
  AccessRole,
} from '../../domain/authority/access-policy.js';
import { PAYLOAD_TYPE, type Envelope } from '../../domain/authority/signed-envelope.js';
import { statementText, type Statement } from '../../domain/authority/statement.js';
import { tapped, type Tap } from './fido-token.js';

/** A principal with its key, as a test needs it. */
export interface TestPrincipal extends AccessPrincipal {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly sign: (statement: Statement) => Envelope;
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
    longestValiditySeconds: { run: 86_400, fleet: 86_400 * 35 },
    ...changes,
  };
}

/** The same as a file: JSON, as the second verifier reads no other. */
export function accessPolicyFile({
  version,
  handoverQuorum,
  principals,
  workers,
}: AccessPolicy): string {
  const keysOf = (keys: AccessPrincipal['keys']) =>
    keys.map(({ spki, fido }) => ({ ed25519: spki, ...(fido === undefined ? {} : { fido }) }));
  return JSON.stringify({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AccessPolicy', metadata: { name: 'test' } },
    spec: {
      ...{ version, handoverQuorum },
      principals: principals.map(({ name, keys, grants }) => ({
        ...{ name, keys: keysOf(keys) },
        grants: grants.map(({ roles }) => ({ roles })),
      })),
      workers: workers.map(({ name, keys }) => ({ name, keys: keysOf(keys) })),
    },
  });
}

/** A worker's, of clusters without labels; the policy may change while it runs. */
export function authorityBy(policy: () => AccessPolicy): Authority {
  return {
    policy: () => Promise.resolve(policy()),
    cluster: ({ name }) => Promise.resolve({ name, labels: new Map() }),
  };
}
