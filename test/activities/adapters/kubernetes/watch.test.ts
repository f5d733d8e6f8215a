import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectCluster, type ConnectedCluster } from '../../../../activities/adapters/connect.js';
import { lines } from '../../../../activities/adapters/http/line-stream.js';
import { closeTransports } from '../../../../activities/adapters/shared-transports.js';
import {
  failureOf,
  hang,
  reset,
  startTlsStub,
  status,
  text,
  type Answer,
  type TlsStub,
} from '../http/tls-stub.js';

const LEASES = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
};

let stub: TlsStub;
let connection: ConnectedCluster;

beforeAll(async () => {
  stub = await startTlsStub();
  connection = await connectCluster(await stub.cluster());
});

afterAll(async () => {
  await connection.close();
  await closeTransports();
  await stub.close();
});

const event = (type: string, name: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

/** Writes these parts one by one, then does what `end` says. */
const streaming =
  (parts: readonly string[], end: (response: ServerResponse) => void): Answer =>
  (_seen, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const [part, ...rest] = parts;
    if (part === undefined) end(response);
    else response.write(part, () => setImmediate(() => streamRest(rest, response, end)));
  };

function streamRest(
  parts: readonly string[],
  response: ServerResponse,
  end: (response: ServerResponse) => void,
): void {
  const [part, ...rest] = parts;
  if (part === undefined) end(response);
  else
    response.write(part, () =>
      setImmediate(() => {
        streamRest(rest, response, end);
      }),
    );
}

async function watched(): Promise<string[]> {
  const seen: string[] = [];
  const options = { resourceVersion: '7', timeoutSeconds: 20, timeoutMs: 1_000 };
  for await (const { type, object } of connection.api.watch(LEASES, options)) {
    seen.push(`${type} ${object.metadata?.name ?? ''}`);
  }
  return seen;
}

const ended = (response: ServerResponse): void => {
  response.end();
};
const broken = (response: ServerResponse): void => {
  response.socket?.destroy();
};
const A = event('ADDED', 'a');
const B = event('MODIFIED', 'b');
const gone = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`;
const denied = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' } })}\n`;

describe('watch', () => {
  it.each<[string, Answer, readonly string[]]>([
    ['events as they come', streaming([A, B], ended), ['ADDED a', 'MODIFIED b']],
    ['two events in one piece', streaming([A + B], ended), ['ADDED a', 'MODIFIED b']],
    ['an event in two pieces', streaming([A.slice(0, 9), A.slice(9)], ended), ['ADDED a']],
    ['bookmarks', streaming([event('BOOKMARK', '')], ended), ['BOOKMARK ']],
    ['no unfinished event', streaming([A, B.slice(0, 20)], ended), ['ADDED a']],
    ['what came before the connection broke', streaming([A, B], broken), ['ADDED a', 'MODIFIED b']],
    ['nothing after 410 in the stream', streaming([A, gone, B], ended), ['ADDED a']],
    ['nothing when 410 is the answer itself', status(410, 'Expired'), []],
  ])('a watch yields %s', async (_name, answer, expected) => {
    stub.answers(answer);
    expect(await watched()).toEqual(expected);
  });

  it.each<[string, readonly Answer[], string]>([
    ['an error event', [streaming([denied], ended)], 'Forbidden'],
    ['an event that is no JSON', [streaming(['{"type":\n'], ended)], 'Unavailable'],
    ['an event of unknown type', [streaming([event('NEW', 'a')], ended)], 'Unavailable'],
    [
      'an endless event',
      [streaming(Array<string>(12).fill('x'.repeat(256 * 1024)), hangUp)],
      'Unavailable',
    ],
    ['401', [status(401, 'Unauthorized')], 'Unauthorized'],
    ['a server that never answers', [hang], 'Timeout'],
  ])('a watch fails on %s', async (_name, answers, type) => {
    stub.answers(...answers);
    expect(await failureOf(watched())).toMatchObject({ type });
  });

  it('a watch reopens after a reset or when it was throttled', async () => {
    stub.answers(reset, text(429, 'later', { 'retry-after': '0' }), streaming([A], ended));
    expect(await watched()).toEqual(['ADDED a']);
  });

  it('a watch requests bookmarks, from the given version', async () => {
    stub.answers(streaming([], ended));
    stub.seen.length = 0;
    expect(await watched()).toEqual([]);
    expect(Object.fromEntries(stub.seen[0]?.url.searchParams ?? [])).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: '20',
    });
  });

  it('a watch closes its connection when its reader leaves', async () => {
    const closed = new Promise<void>((resolve) => {
      stub.answers((seen, response) => {
        response.on('close', resolve);
        streaming([A], () => undefined)(seen, response);
      });
    });
    const options = { resourceVersion: '7', timeoutSeconds: 20 };
    for await (const { type } of connection.api.watch(LEASES, options)) {
      expect(type).toBe('ADDED');
      break;
    }
    await closed;
  });
});

describe('lines of a stream', () => {
  it.each([
    ['silence', { idleMs: 50, totalMs: 60_000 }],
    ['the time limit', { idleMs: 60_000, totalMs: 50 }],
  ])('lines of a stream end after %s', async (_name, limits) => {
    const seen: string[] = [];
    for await (const line of lines('watch', limits, quiet)) seen.push(line);
    expect(seen).toEqual(['first']);
  });
});

/** One line, then silence until the stream is aborted, as on a half-open connection. */
function quiet(stream: AbortController): Promise<AsyncIterable<unknown> & { destroy(): void }> {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from('first\n');
    await new Promise((_resolve, reject) => {
      stream.signal.addEventListener('abort', () => {
        reject(new Error('aborted'));
      });
    });
  }
  return Promise.resolve(Object.assign(chunks(), { destroy: () => undefined }));
}

function hangUp(response: ServerResponse): void {
  response.on('error', () => undefined);
}
