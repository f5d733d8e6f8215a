import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { connectCluster, type ConnectedCluster } from '../../../../activities/adapters/connect.js';
import { closeTransports } from '../../../../activities/adapters/shared-transports.js';
import { failureDetailsOf, failureTypeOf } from '../../../../activities/failures.js';
import type { FailureType } from '../../../../domain/failures.js';
import {
  cutJson,
  failureOf,
  hang,
  json,
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

const get = (timeoutMs = 3_000): Promise<unknown> => connection.api.get(LEASE, { timeoutMs });
const patch = (timeoutMs = 8_000): Promise<unknown> =>
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
  ])('a read is sent again after %s', async (_name, fault) => {
    stub.answers(fault, found);
    await expect(get()).resolves.toMatchObject({ object: OBJECT });
    expect(stub.seen).toHaveLength(2);
  });

  it('a read is sent at most five times', async () => {
    stub.answers(reset);
    expect(failureTypeOf(await failureOf(get(30_000)))).toBe('Unavailable');
    expect(stub.seen).toHaveLength(5);
  });

  it('a read is not sent again when the server asks for more time than is left: the wait is passed on', async () => {
    stub.answers(text(429, 'slow down', { 'retry-after': '20' }));
    const error = await failureOf(get());
    expect(failureTypeOf(error)).toBe('Throttled');
    expect(error).toMatchObject({ nextRetryDelay: 20_000, category: 'BENIGN' });
    expect(stub.seen).toHaveLength(1);
  });
});

describe('metrics are read up to a length that large clusters have', () => {
  const MIB = 1024 * 1024;
  const system = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kube-system', uid: 'u' },
  };

  it.each<[string, number, 'read' | FailureType]>([
    ['of a large cluster', 6 * MIB, 'read'],
    ['without end', 9 * MIB, 'Unavailable'],
  ])('metrics %s', async (_name, length, wanted) => {
    const { processes, close } = await connectCluster(await stub.cluster());
    stub.answers(json(200, system), text(200, 'x'.repeat(length)));
    const answer = await processes
      .metrics('cp-1', 'kcm', { timeoutMs: 8_000 })
      .catch((error: unknown) => failureTypeOf(error));
    await close();
    expect(answer?.length === length ? 'read' : answer).toBe(wanted);
  });
});

describe('a mutation is sent again only if it surely had no effect', () => {
  it.each<[string, Answer]>([
    ['429', text(429, 'slow down')],
    ['503 with a Status', status(503, 'ServiceUnavailable')],
  ])('a mutation without effect is sent again after %s', async (_name, fault) => {
    stub.answers(fault, found);
    await expect(patch()).resolves.toMatchObject(OBJECT);
    expect(stub.seen).toHaveLength(2);
  });

  it.each<[string, Answer, FailureType]>([
    [
      'a longer wait, since fence and gates have aged',
      text(429, '', { 'retry-after': '4' }),
      'Throttled',
    ],
    ['a reset', reset, 'Unavailable'],
    ['503 of a proxy', proxyDown, 'Unavailable'],
    ['500', status(500, 'InternalError'), 'Unavailable'],
    ['504', status(504, 'Timeout'), 'Timeout'],
    ['a truncated body', truncated, 'Unavailable'],
    ['JSON that was cut off', cutJson, 'Unavailable'],
    ['a page instead of JSON', text(200, '<html>'), 'Unavailable'],
    ['an answer about another object', json(200, { metadata: { name: 'y' } }), 'Unavailable'],
  ])('a mutation is never sent again after %s', async (_name, fault, type) => {
    stub.answers(fault, found);
    expect(failureTypeOf(await failureOf(patch()))).toBe(type);
    expect(stub.seen).toHaveLength(1);
  });
});

/** Resolves when the server has so many requests; rejects when they do not come. */
async function arrived(count: number): Promise<void> {
  for (let left = 2_000; stub.seen.length < count; left -= 1) {
    if (left === 0) throw new Error(`only ${String(stub.seen.length)} requests have arrived`);
    await new Promise((next) => setTimeout(next, 5));
  }
}

describe('a request that gets no answer', () => {
  it('delays none beside it: a write is answered while a list, a read and a watch hang', async () => {
    stub.answers(hang, hang, hang, found);
    const given = new AbortController();
    const own = await connectCluster(await stub.cluster());
    const { api } = own;
    const { signal } = given;
    const watched = api.watch({ ...LEASE }, { resourceVersion: '7', timeoutSeconds: 60, signal });
    const hanging = [
      failureOf(api.list(LEASE, { signal })),
      failureOf(api.get(LEASE, { signal })),
      failureOf(watched[Symbol.asyncIterator]().next()),
    ];
    await arrived(hanging.length);
    const patched = await api.mergePatch(LEASE, { metadata: { labels: { a: 'b' } } });
    expect(patched).toMatchObject(OBJECT);
    given.abort(new Error('over'));
    expect((await Promise.all(hanging)).map(String)).toEqual(hanging.map(() => 'Error: over'));
    await own.close();
  });

  it('takes its connection along: the next request has another one', async () => {
    stub.answers(found);
    const own = await connectCluster(await stub.cluster());
    await own.api.get(LEASE);
    const before = stub.connections();
    await own.api.get(LEASE);
    expect(stub.connections()).toBe(before);
    stub.answers(hang, found);
    expect(failureTypeOf(await failureOf(own.api.get(LEASE, { timeoutMs: 200 })))).toBe('Timeout');
    await own.api.get(LEASE);
    expect(stub.connections()).toBe(before + 1);
    await own.close();
  });

  it('all connections cut at once: the read is sent again, the write is not, the watch ends', async () => {
    stub.answers(hang, hang, hang, found);
    const own = await connectCluster(await stub.cluster());
    const { api } = own;
    const watched = api.watch({ ...LEASE }, { resourceVersion: '7', timeoutSeconds: 60 });
    const read = api.get(LEASE);
    const written = failureOf(api.mergePatch(LEASE, { metadata: { labels: { a: 'b' } } }));
    const event = watched[Symbol.asyncIterator]();
    const opened = event.next().catch(failureTypeOf);
    await arrived(3);
    stub.cut();
    expect(await read).toMatchObject({ object: OBJECT });
    expect(failureTypeOf(await written)).toBe('Unavailable');
    await opened;
    expect(stub.seen.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
    await own.close();
  });
});

describe('403 of an API server that has just started', () => {
  const denied = status(403, 'Forbidden', 'namespaces is forbidden: User "kubernetes-admin"');
  const ready = text(200, 'ok');

  it.each([
    ['a read', get],
    ['a mutation', patch],
  ])(
    'a 403 of a starting API server is checked again once it is ready: %s',
    async (_name, send) => {
      stub.answers(denied, ready, found);
      await expect(send()).resolves.toBeTruthy();
      expect(stub.seen.map(({ url }) => url.pathname)[1]).toBe('/readyz');
    },
  );

  it.each<[string, Answer]>([
    ['is forbidden', status(403, 'Forbidden', 'User "kubernetes-admin" cannot get path')],
    ['fails', text(500, '[-]poststarthook/rbac/bootstrap-roles failed: reason withheld')],
  ])('a 403 is retried later while its /readyz %s', async (_name, answer) => {
    stub.answers(denied, answer);
    const error = await failureOf(get());
    expect(error).toMatchObject({ type: 'Unavailable', nonRetryable: false });
    expect(String(error)).toMatch(/answered 403, and the API server is not ready: get \/readyz/);
  });

  it('a 403 is final when the server is ready and repeats it', async () => {
    stub.answers(denied, ready, denied);
    const error = await failureOf(patch());
    expect(error).toMatchObject({ type: 'Forbidden', nonRetryable: true });
    expect(stub.seen).toHaveLength(3);
  });
});

describe('every failure is of the closed list', () => {
  it.each<[string, Answer, FailureType, boolean]>([
    ['401', status(401, 'Unauthorized'), 'Unauthorized', true],
    [
      '404 of a server that knows no such path',
      text(404, '404 page not found'),
      'NotSupported',
      true,
    ],
    ['409, which no read can cause', status(409, 'Conflict'), 'Unavailable', false],
    ['410', status(410, 'Expired'), 'Conflict', false],
    ['422', status(422, 'Invalid'), 'InvalidInput', true],
    ['a redirect', text(302, '', { location: 'https://127.0.0.1:1/' }), 'NotSupported', true],
    ['an answer without a Date', noDate(), 'Unavailable', false],
    ['a list instead of an object', json(200, []), 'Unavailable', false],
  ])(
    'an unusable answer becomes a failure of the closed list: %s',
    async (_name, answer, type, nonRetryable) => {
      stub.answers(answer);
      const error = await failureOf(get());
      expect(error).toMatchObject({ type, nonRetryable });
    },
  );

  it('AlreadyExists is distinguished from a conflict of versions', async () => {
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

  it('a port without a listener is Unavailable', async () => {
    const cluster = await stub.cluster((config) =>
      config.replace(stub.base, 'https://127.0.0.1:1'),
    );
    const other = await connectCluster(cluster);
    expect(failureTypeOf(await failureOf(other.api.serverVersion()))).toBe('Unavailable');
    await other.close();
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
