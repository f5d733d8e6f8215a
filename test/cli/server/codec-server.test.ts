import { gzipSync } from 'node:zlib';
import { request } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { encode, loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { payloadJson, payloadOf } from '../../../cli/audit/payload-json.js';
import type { BoundedServer } from '../../../cli/server/bounded-server.js';
import { serveCodec } from '../../../cli/server/codec-server.js';
import { dataConverterWith } from '../../../config/data-converter.js';
import { payloadKeys } from '../../support/payload-keys.js';
import { fakeTerminal, ran } from '../fake-terminal.js';

const ORIGIN = 'http://127.0.0.1:8080';
const TOKEN = 'a-token-of-the-web-page-1';
const { payloadCodecs } = loadDataConverter(dataConverterWith(payloadKeys('k-2', 'k-1')));

async function hidden(value: unknown, key = 'k-2'): Promise<object> {
  const codecs = loadDataConverter(dataConverterWith(payloadKeys(key))).payloadCodecs;
  const [payload] = await encode(codecs, [defaultPayloadConverter.toPayload(value)]);
  return payloadJson(payload);
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** One request, with any headers: `fetch` sends no other Host. */
function asked(
  { address }: Pick<BoundedServer, 'address'>,
  body: string,
  { headers = {}, method = 'POST', path = '/decode' } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `http://${address}${path}`,
      { method, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let said = '';
        response.on('data', (chunk: Buffer) => (said += chunk.toString()));
        response.on('end', () => {
          const { statusCode: status = 0, headers: told } = response;
          resolve({ status, headers: told, body: said });
        });
      },
    );
    sent.on('error', reject);
    sent.end(method === 'POST' ? body : undefined);
  });
}

function valuesIn({ body }: Answer): readonly unknown[] {
  const { payloads } = JSON.parse(body) as { readonly payloads: readonly object[] };
  return payloads.map((each) => defaultPayloadConverter.fromPayload(payloadOf(each)));
}

const place = { host: '127.0.0.1', port: 0, tls: null };
let [open, closed]: BoundedServer[] = [];
beforeAll(async () => {
  open = await serveCodec(place, { codecs: payloadCodecs, uiOrigin: ORIGIN, token: null });
  closed = await serveCodec(place, { codecs: payloadCodecs, uiOrigin: ORIGIN, token: TOKEN });
});
afterAll(async () => {
  await Promise.all([open?.close(), closed?.close()]);
});

const server = (which: BoundedServer | undefined): BoundedServer => {
  if (which === undefined) throw new Error('it does not run');
  return which;
};

describe('the codec server', () => {
  it('decrypts with every key, and leaves what is plain', async () => {
    const plain = payloadJson(defaultPayloadConverter.toPayload({ plain: true }));
    const payloads = [await hidden({ a: 1 }), await hidden('b', 'k-1'), plain];
    const answer = await asked(server(open), JSON.stringify({ payloads }));
    expect(answer.status).toBe(200);
    expect(valuesIn(answer)).toEqual([{ a: 1 }, 'b', { plain: true }]);
    expect(answer.headers).toMatchObject({
      ...{ 'access-control-allow-origin': ORIGIN, 'cache-control': 'no-store' },
    });
  });

  it('says of one that it cannot decrypt why, and shows the others', async () => {
    const payloads = [await hidden(1, 'k-9'), await hidden(2), { metadata: { x: 'no base64' } }];
    const [first, second, third] = valuesIn(
      await asked(server(open), JSON.stringify({ payloads })),
    );
    expect(first).toEqual({ notDecrypted: expect.stringContaining('"k-9"') });
    expect(second).toBe(2);
    expect(third).toEqual({ notDecrypted: expect.stringContaining('no base64') });
  });

  it('expands no more than one answer holds, and says so of the rest', async () => {
    const bomb = {
      metadata: {
        encoding: Buffer.from('binary/gzip').toString('base64'),
        'ccm-migrate-encoding': Buffer.from('json/plain').toString('base64'),
      },
      data: gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')).toString('base64'),
    };
    const body = JSON.stringify({ payloads: Array.from({ length: 20 }, () => bomb) });
    const { status, body: said } = await asked(server(open), body);
    expect(status).toBe(200);
    expect(said.length).toBeLessThan(64 * 1024 * 1024);
  });

  it('answers what a browser asks before it asks', async () => {
    const { status, headers } = await asked(server(closed), '', { method: 'OPTIONS' });
    expect(status).toBe(204);
    expect(headers['access-control-allow-headers']).toContain('authorization');
  });

  it.each<[string, string, Parameters<typeof asked>[2], number]>([
    ['another path', '{}', { path: '/encode' }, 404],
    ['another method', '', { method: 'GET' }, 405],
    ['no JSON', 'x', {}, 400],
    ['no payloads', '{"payloads": 7}', {}, 400],
    ['too many payloads', JSON.stringify({ payloads: Array(10_001).fill({}) }), {}, 400],
    ['a form', '{}', { headers: { 'content-type': 'text/plain' } }, 415],
    ['the name of another host', '{}', { headers: { host: 'evil.example.com' } }, 401],
    ['more than it takes', '{}', { headers: { 'content-length': String(64 * 1024 * 1024) } }, 413],
  ])('refuses %s', async (_what, body, how, status) => {
    expect((await asked(server(open), body, how)).status).toBe(status);
  });

  it('wants its token, where it has one', async () => {
    const body = JSON.stringify({ payloads: [await hidden('a')] });
    for (const authorization of ['', 'Bearer ', `Bearer ${TOKEN}x`, TOKEN]) {
      const answer = await asked(server(closed), body, { headers: { authorization } });
      expect([answer.status, answer.body.includes('payloads')]).toEqual([401, false]);
    }
    const headers = { authorization: `Bearer ${TOKEN}`, host: 'temporal.example.com' };
    expect(valuesIn(await asked(server(closed), body, { headers }))).toEqual(['a']);
  });
});

describe('ccm-migrate codec', () => {
  let folder: string;
  let keys: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-codec-'));
    keys = join(folder, 'payload.keys');
    await ran(['access', 'payload-key', keys]);
    await writeFile(join(folder, 'short'), 'short');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('serves until it is stopped', async () => {
    const terminal = fakeTerminal();
    const stop = new AbortController();
    const words = ['codec', '--payload-keys', keys, '--listen', '127.0.0.1:0', '-o', 'json'];
    const running = ran(words, { terminal, signal: stop.signal });
    while (terminal.stdout() === '') await new Promise((resolve) => setImmediate(resolve));
    const { url } = JSON.parse(terminal.stdout()) as { readonly url: string };
    const body = JSON.stringify({ payloads: [] });
    expect((await asked({ address: new URL(url).host }, body)).status).toBe(200);
    stop.abort();
    expect((await running).exit).toBe(0);
  });

  it.each<[string, (path: string) => readonly string[], string]>([
    ['no keys', () => [], '--payload-keys is required'],
    ['keys that are not there', (path) => ['--payload-keys', join(path, 'x')], 'payload keys '],
    [
      'an open address without TLS',
      (path) => ['--payload-keys', join(path, 'payload.keys'), '--listen', '0.0.0.0:0'],
      'Give --tls-cert and --tls-key',
    ],
    [
      'an open address without a token',
      (path) => [
        ...['--payload-keys', join(path, 'payload.keys'), '--listen', '0.0.0.0:0'],
        ...['--tls-cert', join(path, 'short'), '--tls-key', join(path, 'short')],
      ],
      'give --token-file',
    ],
    [
      'a short token',
      (path) => ['--payload-keys', join(path, 'payload.keys'), '--token-file', join(path, 'short')],
      'at least 20 characters',
    ],
    [
      'a page with a path',
      (path) => ['--payload-keys', join(path, 'payload.keys'), '--ui-origin', `${ORIGIN}/x`],
      'an origin such as',
    ],
  ])('refuses %s', async (_what, words, said) => {
    const { exit, stderr } = await ran(['codec', ...words(folder)]);
    expect([exit, stderr]).toEqual([64, expect.stringContaining(said)]);
  });
});
