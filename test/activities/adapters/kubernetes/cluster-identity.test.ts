import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  authoritiesOf,
  identifyCluster,
  type IdentitySources,
} from '../../../../activities/adapters/kubernetes/cluster-identity.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import type { KubernetesApi } from '../../../../activities/ports.js';
import { createAuthority } from '../../../../testbed/base/auth/certificates.js';
import { failureOf } from '../http/tls-stub.js';

const ONE = createAuthority('one').certificatePem;
const TWO = createAuthority('two').certificatePem;

function fingerprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
}

/** Answers with these UIDs, one after the other; `asked` records the requests. */
function api(...uids: readonly (string | Error)[]): { api: KubernetesApi; asked: string[] } {
  const asked: string[] = [];
  const rest = [...uids];
  const get = ({ kind, name }: { kind: string; name: string }): Promise<unknown> => {
    asked.push(`${kind} ${name}`);
    const next = rest.shift() ?? '';
    return next instanceof Error
      ? Promise.reject(next)
      : Promise.resolve({ object: { metadata: { uid: next } } });
  };
  return { api: { get } as unknown as KubernetesApi, asked };
}

function sources(given: Partial<IdentitySources>): IdentitySources {
  return { name: 'one', uid: 'planned', named: undefined, ca: ONE, api: api().api, ...given };
}

describe('whose nodes are meant', () => {
  it("a node's cluster is the planned UID and the authority of the kubeconfig, without a request", async () => {
    const { api: asking, asked } = api('told');
    expect(await identifyCluster(sources({ api: asking }))()).toEqual({
      ...{ name: 'one', uid: 'planned', authorities: [fingerprint(ONE)] },
    });
    expect(asked).toEqual([]);
  });

  it("a node's cluster is the authority that the operator names, instead of the kubeconfig’s", async () => {
    const named = ['ab'.repeat(32)];
    expect((await identifyCluster(sources({ named }))()).authorities).toEqual(named);
  });

  it("the cluster's UID is requested once, and again only after a failure", async () => {
    const { api: asking, asked } = api(new Error('away'), 'told', 'told otherwise');
    const identify = identifyCluster(sources({ uid: undefined, api: asking }));
    expect(String(await failureOf(identify()))).toContain('away');
    expect((await identify()).uid).toBe('told');
    expect((await identify()).uid).toBe('told');
    expect(asked).toEqual(['Namespace kube-system', 'Namespace kube-system']);
  });

  it.each(['', 'two words', 'x'.repeat(65), "'; reboot"])(
    'a cluster with UID %j has no identity',
    async (uid) => {
      const error = await failureOf(identifyCluster(sources({ uid }))());
      expect(failureTypeOf(error)).toBe('ClusterMismatch');
    },
  );

  it.each(['', 'nothing of PEM', '-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n'])(
    'a cluster has no identity where its kubeconfig trusts no authority: %j',
    async (ca) => {
      const error = await failureOf(identifyCluster(sources({ ca }))());
      expect(failureTypeOf(error)).toBe('InvalidInput');
      const none = await failureOf(identifyCluster(sources({ named: [] }))());
      expect(failureTypeOf(none)).toBe('InvalidInput');
    },
  );

  it('a cluster has no identity where its kubeconfig trusts a whole store of authorities', async () => {
    const store = Array.from(
      { length: 17 },
      (_, n) =>
        `-----BEGIN CERTIFICATE-----\n${Buffer.from(`ca ${String(n)}`).toString('base64')}\n-----END CERTIFICATE-----\n`,
    ).join('');
    const error = await failureOf(identifyCluster(sources({ ca: store }))());
    expect(failureTypeOf(error)).toBe('InvalidInput');
    expect(String(error)).toContain('certificateAuthorities in the inventory');
  });
});

describe('authorities of a PEM text', () => {
  it('authorities of a PEM text are its certificates by their fingerprints, whatever stands between them', () => {
    const text = `# ours\n${ONE}\nsubject=two\n${TWO.replaceAll('\n', '\r\n')}${ONE}`;
    expect(authoritiesOf(text)).toEqual([fingerprint(ONE), fingerprint(TWO)]);
    expect(authoritiesOf('nothing')).toEqual([]);
  });
});
