import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Authority } from '../../activities/dependencies.js';
import { signBytes } from '../../activities/authority/signatures.js';
import { keyIdOf } from '../../config/access/access-policy-file.js';
import type {
  AccessPolicy,
  AccessPrincipal,
  AccessRole,
} from '../../domain/authority/access-policy.js';
import { PAYLOAD_TYPE, type Envelope } from '../../domain/authority/signed-envelope.js';
import { statementText, type Statement } from '../../domain/authority/statement.js';

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
    sign: (statement) => {
      const bytes = Buffer.from(statementText(statement));
      const sig = signBytes(PAYLOAD_TYPE, bytes, key);
      const payload = bytes.toString('base64');
      return { payloadType: PAYLOAD_TYPE, payload, signatures: [{ keyid: keyId, sig }] };
    },
  };
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
      principals,
      workers: [],
      logs: [],
    },
    longestValiditySeconds: { run: 86_400, fleet: 86_400 * 35 },
    ...changes,
  };
}

/** The same as a file: JSON, as the second verifier reads no other. */
export function accessPolicyFile({ version, principals, workers }: AccessPolicy): string {
  const keysOf = (keys: AccessPrincipal['keys']) => keys.map(({ spki }) => ({ ed25519: spki }));
  return JSON.stringify({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AccessPolicy', metadata: { name: 'test' } },
    spec: {
      version,
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
