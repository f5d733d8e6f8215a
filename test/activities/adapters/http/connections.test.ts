import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectCluster, type ConnectedCluster } from '../../../../activities/adapters/connect.js';
import { closeTransports } from '../../../../activities/adapters/shared-transports.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import { createAuthority } from '../../../../testbed/base/auth/certificates.js';
import {
  TOKEN,
  base64,
  failureOf,
  hang,
  json,
  kubeconfigText,
  reset,
  startTlsStub,
  text,
  type TlsStub,
} from './tls-stub.js';

const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
  name: 'x',
};
const found = json(200, { metadata: { namespace: 'kube-system', name: 'x' } });

const EXPIRED = { notAfter: new Date(Date.now() - 3_600_000) };

let stub: TlsStub;
let connection: ConnectedCluster;

beforeAll(async () => {
  stub = await startTlsStub();
  connection = await connectCluster(await stub.cluster());
});

afterEach(() => {
  stub.seen.length = 0;
});

afterAll(async () => {
  await connection.close();
  await closeTransports();
  await stub.close();
});

describe('TLS', () => {
  it.each<[string, () => (config: string) => string]>([
    [
      'signed by an authority that the kubeconfig does not name',
      () => () => kubeconfigText(stub.base, createAuthority('stranger').certificatePem),
    ],
    [
      'of another name',
      () => (config) =>
        config.replace(/(server: .*)/, '$1\n      tls-server-name: api.elsewhere.example'),
    ],
  ])('a certificate %s is refused before anything is sent', async (_name, change) => {
    stub.answers(found);
    const other = await connectCluster(await stub.cluster(change()));
    const error = await failureOf(other.api.get(LEASE));
    expect(failureTypeOf(error)).toBe('Unauthorized');
    expect(String(error)).toContain('authority in the kubeconfig');
    expect(stub.seen).toEqual([]);
    await other.close();
  });

  it('a certificate that has expired is refused before anything is sent, and the reason says so', async () => {
    const late = await startTlsStub(EXPIRED);
    const other = await connectCluster(await late.cluster());
    const error = await failureOf(other.api.get(LEASE));
    expect(failureTypeOf(error)).toBe('Unauthorized');
    expect(String(error)).toContain("(CERT_HAS_EXPIRED). The server's certificate");
    expect(String(error)).toContain('has expired: renew it there');
    expect(late.seen).toEqual([]);
    await other.close();
    await late.close();
  });

  it('a certificate that expires while a worker runs is refused on its next connection', async () => {
    const server = await startTlsStub();
    const other = await connectCluster(await server.cluster());
    server.answers(found);
    await other.api.get(LEASE);
    server.renew(EXPIRED);
    const second = await other.api.get(LEASE).catch(String);
    await other.close();
    await server.close();
    expect(second).toContain('CERT_HAS_EXPIRED');
    expect(server.seen).toHaveLength(1);
  });

  it('a client certificate is sent to the server, and no token', async () => {
    const client = stub.authority.issueClient('ccm-migrate', ['ops'], 'one');
    const user = `client-certificate-data: ${base64(client.certificatePem)}
      client-key-data: ${base64(client.privateKeyPem)}`;
    const other = await connectCluster(
      await stub.cluster(() => kubeconfigText(stub.base, stub.authority.certificatePem, user)),
    );
    stub.answers(found);
    await other.api.get(LEASE);
    expect(stub.seen[0]?.clientName).toBe('ccm-migrate');
    expect(stub.seen[0]?.headers.authorization).toBeUndefined();
    await other.close();
  });

  it('a certificate that is not PEM is refused with the kubeconfig', async () => {
    const cluster = await stub.cluster(() => kubeconfigText(stub.base, 'not a certificate'));
    expect(failureTypeOf(await failureOf(connectCluster(cluster)))).toBe('InvalidInput');
  });
});

describe('cancellation', () => {
  it('cancellation gives the caller its own reason, while waiting for a response and before a retry', async () => {
    for (const answer of [hang, text(429, 'slow', { 'retry-after': '2' })]) {
      stub.answers(answer);
      const controller = new AbortController();
      const reason = new Error('the activity was cancelled');
      const attempt = failureOf(connection.api.get(LEASE, { signal: controller.signal }));
      setTimeout(() => {
        controller.abort(reason);
      }, 50);
      expect(await attempt).toBe(reason);
    }
  });

  it('a request that was cancelled before it began sends nothing', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(connection.api.get(LEASE, { signal })).rejects.toThrow('cancelled');
    expect(stub.seen).toEqual([]);
  });
});

describe('connections', () => {
  it('connections are shared and counted per view, and a renewed credential gets its own', async () => {
    stub.answers(found);
    const cluster = await stub.cluster();
    const first = await connectCluster(cluster);
    const second = await connectCluster(cluster);
    const before = stub.connections();
    for (let count = 0; count < 20; count += 1) await first.api.get(LEASE);
    await second.api.get(LEASE);
    expect(stub.connections() - before).toBe(1);
    expect([first.requests(), second.requests()]).toEqual([20, 1]);

    const renewed = await stub.cluster((config) => config.replace(TOKEN, 'renewed-token'));
    const third = await connectCluster({ ...renewed, name: cluster.name });
    await third.api.get(LEASE);
    expect(stub.seen.at(-1)?.headers.authorization).toBe('Bearer renewed-token');
    expect(stub.seen.at(-2)?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    await Promise.all([first, second, third].map((view) => view.close()));
  });

  it('connections stay open for the next view, until the worker exits', async () => {
    stub.answers(found);
    const cluster = await stub.cluster();
    const use = async (): Promise<void> => {
      const view = await connectCluster(cluster);
      await view.api.get(LEASE);
      await view.close();
    };
    await use();
    const before = stub.connections();
    await use();
    expect(stub.connections()).toBe(before);
    await closeTransports();
    await use();
    expect(stub.connections()).toBe(before + 1);
  });

  it('the count of requests includes retries', async () => {
    stub.answers(reset, reset, found);
    const seen: unknown[] = [];
    const view = await connectCluster(await stub.cluster(), { onRequest: (one) => seen.push(one) });
    await view.api.get(LEASE);
    expect(view.requests()).toBe(3);
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x';
    expect(seen).toEqual([
      { method: 'GET', path, code: null },
      { method: 'GET', path, code: null },
      { method: 'GET', path, code: 200 },
    ]);
    await view.close();
  });
});
