import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectCluster, type ClusterConnection } from '../../../activities/adapters/connect.js';
import { closeTransports } from '../../../activities/adapters/shared-transports.js';
import { failureDetailsOf, failureTypeOf } from '../../../activities/failures.js';
import type { FailureType } from '../../../domain/failures.js';
import { createAuthority } from '../../../simulator/auth/certificates.js';
import {
  TOKEN,
  base64,
  cutJson,
  hang,
  json,
  kubeconfigText,
  reset,
  startTlsStub,
  status,
  text,
  truncated,
  type Answer,
  type TlsStub,
} from './tls-stub.js';

const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
  name: 'x',
};
const OBJECT = {
  apiVersion: LEASE.apiVersion,
  kind: 'Lease',
  metadata: { namespace: 'kube-system', name: 'x', resourceVersion: '7' },
};
const found = json(200, OBJECT);
const proxyDown = text(503, 'upstream connect error');

let stub: TlsStub;
let connection: ClusterConnection;

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

async function failureOf(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => {
      throw new Error('did not fail');
    },
    (error: unknown) => error,
  );
}

const get = (timeoutMs = 3_000): Promise<unknown> => connection.api.get(LEASE, { timeoutMs });
const patch = (timeoutMs = 3_000): Promise<unknown> =>
  connection.api.mergePatch(LEASE, { metadata: { labels: { a: 'b' } } }, { timeoutMs });

describe('a read is sent again, inside its deadline', () => {
  it.each<[string, Answer]>([
    ['a reset', reset],
    ['429 with Retry-After 0', text(429, 'slow down', { 'retry-after': '0' })],
    ['503 of a proxy', proxyDown],
    ['503 with a Status', status(503, 'ServiceUnavailable')],
    ['500', status(500, 'InternalError')],
    ['a truncated body', truncated],
    ['JSON that was cut off', cutJson],
  ])('after %s', async (_name, fault) => {
    stub.answers(fault, found);
    await expect(get()).resolves.toMatchObject({ object: OBJECT });
    expect(stub.seen).toHaveLength(2);
  });

  it('but not for ever: five times', async () => {
    stub.answers(reset);
    expect(failureTypeOf(await failureOf(get(30_000)))).toBe('Unavailable');
    expect(stub.seen).toHaveLength(5);
  });

  it('and not when the server asks for more time than is left: the wait is handed on', async () => {
    stub.answers(text(429, 'slow down', { 'retry-after': '20' }));
    const error = await failureOf(get());
    expect(failureTypeOf(error)).toBe('Throttled');
    expect(error).toMatchObject({ nextRetryDelay: 20_000, category: 'BENIGN' });
    expect(stub.seen).toHaveLength(1);
  });
});

describe('a mutation is sent again only if it surely had no effect', () => {
  it.each<[string, Answer]>([
    ['429', text(429, 'slow down')],
    ['503 with a Status', status(503, 'ServiceUnavailable')],
  ])('so after %s', async (_name, fault) => {
    stub.answers(fault, found);
    await expect(patch()).resolves.toMatchObject(OBJECT);
    expect(stub.seen).toHaveLength(2);
  });

  it.each<[string, Answer, FailureType]>([
    ['a reset', reset, 'Unavailable'],
    ['503 of a proxy', proxyDown, 'Unavailable'],
    ['500', status(500, 'InternalError'), 'Unavailable'],
    ['504', status(504, 'Timeout'), 'Timeout'],
    ['a truncated body', truncated, 'Unavailable'],
    ['JSON that was cut off', cutJson, 'Unavailable'],
    ['a page instead of JSON', text(200, '<html>'), 'Unavailable'],
    ['an answer about another object', json(200, { metadata: { name: 'y' } }), 'Unavailable'],
  ])('never after %s', async (_name, fault, type) => {
    stub.answers(fault, found);
    expect(failureTypeOf(await failureOf(patch()))).toBe(type);
    expect(stub.seen).toHaveLength(1);
  });
});

describe('failures are of the closed list', () => {
  it.each<[string, Answer, FailureType, boolean]>([
    ['401', status(401, 'Unauthorized'), 'Unauthorized', true],
    ['403', status(403, 'Forbidden', 'leases is forbidden'), 'Forbidden', true],
    [
      '404 of a server that knows no such path',
      text(404, '404 page not found'),
      'NotSupported',
      true,
    ],
    ['409', status(409, 'Conflict'), 'Conflict', false],
    ['410', status(410, 'Expired'), 'Conflict', false],
    ['422', status(422, 'Invalid'), 'InvalidInput', true],
    ['a redirect', text(302, '', { location: 'https://127.0.0.1:1/' }), 'NotSupported', true],
    ['no Date', noDate(), 'Unavailable', false],
    ['a list instead of an object', json(200, []), 'Unavailable', false],
  ])('%s', async (_name, answer, type, nonRetryable) => {
    stub.answers(answer);
    const error = await failureOf(get());
    expect(error).toMatchObject({ type, nonRetryable });
  });

  it('AlreadyExists is told from a conflict of versions', async () => {
    stub.answers(status(409, 'AlreadyExists'));
    const error = await failureOf(connection.api.create(OBJECT));
    expect(failureTypeOf(error)).toBe('Conflict');
    expect(failureDetailsOf(error)).toEqual({ status: 409, reason: 'AlreadyExists' });
  });

  it('a silent server is a Timeout', async () => {
    stub.answers(hang);
    expect(failureTypeOf(await failureOf(get(200)))).toBe('Timeout');
  });

  it('an endless answer is cut off', async () => {
    stub.answers(endless);
    const error = await failureOf(patch());
    expect(failureTypeOf(error)).toBe('Unavailable');
    expect(failureDetailsOf(error)).toEqual({ reason: 'TooLarge' });
  });

  it('nobody listening is Unavailable', async () => {
    const cluster = await stub.cluster((config) =>
      config.replace(stub.base, 'https://127.0.0.1:1'),
    );
    const other = await connectCluster(cluster);
    expect(failureTypeOf(await failureOf(other.api.serverVersion()))).toBe('Unavailable');
    await other.close();
  });
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

  it('a client certificate is shown to the server, and no token', async () => {
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

  it('a certificate that is no PEM is refused with the kubeconfig', async () => {
    const cluster = await stub.cluster(() => kubeconfigText(stub.base, 'not a certificate'));
    expect(failureTypeOf(await failureOf(connectCluster(cluster)))).toBe('InvalidInput');
  });
});

describe('cancellation', () => {
  it('gives the caller its own reason, while waiting for an answer and before a retry', async () => {
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

  it('sends nothing when it came first', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(connection.api.get(LEASE, { signal })).rejects.toThrow('cancelled');
    expect(stub.seen).toEqual([]);
  });
});

describe('connections', () => {
  it('are shared and counted per view, and a renewed credential gets its own', async () => {
    stub.answers(found);
    const cluster = await stub.cluster();
    const first = await connectCluster(cluster);
    const second = await connectCluster(cluster);
    const before = stub.connections();
    for (let count = 0; count < 20; count += 1) await first.api.get(LEASE);
    await second.api.get(LEASE);
    // The pool may open a second one before it has seen the first come free.
    expect(stub.connections() - before).toBeLessThanOrEqual(2);
    expect([first.requests(), second.requests()]).toEqual([20, 1]);

    const renewed = await stub.cluster((config) => config.replace(TOKEN, 'renewed-token'));
    const third = await connectCluster({ ...renewed, name: cluster.name });
    await third.api.get(LEASE);
    expect(stub.seen.at(-1)?.headers.authorization).toBe('Bearer renewed-token');
    expect(stub.seen.at(-2)?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    await Promise.all([first, second, third].map((view) => view.close()));
  });

  it('count retries too', async () => {
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

function noDate(): Answer {
  return (_seen, response) => {
    response.sendDate = false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(OBJECT));
  };
}

const endless: Answer = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const part = ' '.repeat(256 * 1024);
  const more = (): void => {
    if (!response.destroyed) response.write(part, more);
  };
  more();
};
