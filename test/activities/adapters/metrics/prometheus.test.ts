import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PrometheusAddress } from '../../../../activities/adapters/metrics/metric-transport.js';
import { createPrometheusSource } from '../../../../activities/adapters/metrics/prometheus.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import type { MetricAnswer, MetricQuery } from '../../../../activities/ports.js';
import { failureOf, hang, json, startTlsStub, type TlsStub } from '../http/tls-stub.js';

let stub: TlsStub;
let folder: string;
let caFile: string;
beforeEach(async () => {
  stub = await startTlsStub();
  folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  caFile = join(folder, 'ca.pem');
  await writeFile(caFile, stub.authority.certificatePem);
});
afterEach(async () => {
  await stub.close();
  await rm(folder, { recursive: true });
});

async function ask(
  change: Partial<PrometheusAddress> = {},
  query: MetricQuery = { promql: 'up' },
  options = {},
): Promise<MetricAnswer> {
  const source = createPrometheusSource({ url: stub.base, caFile, tokenFile: null, ...change });
  try {
    return await source.query(query, options);
  } finally {
    await source.close();
  }
}

const answer = (data: object, more: object = {}) => json(200, { status: 'success', data, ...more });
const SCALAR = answer({ resultType: 'scalar', result: [1790000000.5, '7'] });
const formOf = (index: number): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(stub.seen[index]?.body));

describe('a query', () => {
  it('is posted as a form to the path below the address, and asks for no encoding', async () => {
    stub.answers(SCALAR);
    await ask({ url: `${stub.base}/tenant/` }, { promql: 'up{a="ü"} > 1' }, { timeoutMs: 5000 });
    const [seen] = stub.seen;
    expect(seen).toMatchObject({
      method: 'POST',
      url: { pathname: '/tenant/api/v1/query', search: '' },
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'accept-encoding': 'identity',
      },
    });
    expect(seen?.headers.authorization).toBeUndefined();
    expect(formOf(0)).toEqual({
      query: 'up{a="ü"} > 1',
      timeout: '5000ms',
      partial_response: 'false',
      deny_partial_response: '1',
    });
  });

  it('over a time names start, end and step in seconds', async () => {
    stub.answers(answer({ resultType: 'matrix', result: [] }));
    const over = { startMs: 1_790_000_000_250, endMs: 1_790_000_600_000, stepMs: 15_000 };
    expect(await ask({}, { promql: 'up', over })).toMatchObject({ kind: 'calculated', series: [] });
    expect(stub.seen[0]?.url.pathname).toBe('/api/v1/query_range');
    expect(formOf(0)).toMatchObject({
      start: '1790000000.250',
      end: '1790000600.000',
      step: '15.000',
    });
  });

  it.each([
    ['a scalar', { resultType: 'scalar', result: [1, '7'] }, 'calculated', [[[], [[1000, 7]]]]],
    [
      'a vector',
      { resultType: 'vector', result: [{ metric: { a: '1' }, value: [1.5, '+Inf'] }] },
      'calculated',
      [[[['a', '1']], [[1500, Infinity]]]],
    ],
    [
      'a matrix',
      { resultType: 'matrix', result: [{ metric: {}, values: [[1, '1'], [2, '2']] }] }, // prettier-ignore
      'raw',
      [[[], [[1000, 1], [2000, 2]]]], // prettier-ignore
    ],
  ])('has series of %s', async (_name, data, kind, expected) => {
    stub.answers(answer(data, { infos: ['metric might not be a counter'] }));
    const { series, ...rest } = await ask();
    expect(rest).toMatchObject({ kind, infos: ['metric might not be a counter'] });
    expect(rest.serverTimeMs).toBeGreaterThan(0);
    expect(
      series.map(({ labels, points }) => [
        [...labels],
        points.map(({ atMs, value }) => [atMs, value]),
      ]),
    ).toEqual(expected);
  });

  it.each([
    ['a vector over a time', { resultType: 'vector', result: [] }],
    ['a scalar over a time', { resultType: 'scalar', result: [1, '7'] }],
    ['no result type', { result: [] }],
  ])('is refused with %s', async (_name, data) => {
    stub.answers(answer(data));
    const over = { startMs: 1, endMs: 2, stepMs: 1 };
    expect(String(await failureOf(ask({}, { promql: 'up', over })))).toContain('not asked for');
  });

  it.each([
    ['no list', { resultType: 'vector', result: {} }, 'result is not a list'],
    ['a label that is a number', { resultType: 'vector', result: [{ metric: { a: 1 }, value: [1, '1'] }] }, 'a label'], // prettier-ignore
    ['a value that is a number', { resultType: 'scalar', result: [1, 7] }, 'a time with a value'],
    ['three parts', { resultType: 'scalar', result: [1, '7', 8] }, 'a time with a value'],
    ['a time in milliseconds', { resultType: 'scalar', result: [1.79e12, '7'] }, 'not a number'],
    ['another member', { resultType: 'vector', result: [{ metric: {}, value: [1, '1'], x: 1 }] }, 'members'], // prettier-ignore
  ])('is refused where the answer has %s', async (_name, data, why) => {
    stub.answers(answer(data));
    expect(String(await failureOf(ask()))).toContain(why);
  });

  it('ends with the reason of its caller when that gives up', async () => {
    stub.answers(hang);
    const controller = new AbortController();
    const asked = ask({}, { promql: 'up' }, { signal: controller.signal });
    const reason = new Error('the run was cancelled');
    controller.abort(reason);
    expect(await failureOf(asked)).toBe(reason);
  });
});

describe('the address', () => {
  it.each([
    'http://prometheus.example',
    'http://10.0.0.1:9090',
    'http://localhost.example',
    'ftp://127.0.0.1',
    'https://user:word@prometheus.example',
    'https://prometheus.example/?a=b',
    'https://prometheus.example/#a',
    'prometheus',
  ])('is refused before anything is sent: %s', (url) => {
    expect(() => createPrometheusSource({ url, caFile: null, tokenFile: null })).toThrow(
      'must be https://, or http:// on 127.0.0.1',
    );
  });

  it('whose certificate no authority of caFile signed is refused, and names the host', async () => {
    stub.answers(SCALAR);
    const error = await failureOf(ask({ caFile: null }));
    expect(failureTypeOf(error)).toBe('Unauthorized');
    expect(String(error)).toContain(
      `query metrics at ${new URL(stub.base).host}: the TLS connection`,
    );
    expect(stub.seen).toEqual([]);
  });

  it('is reached by an authority that replaces the old one in caFile', async () => {
    stub.answers(SCALAR);
    const other = await startTlsStub();
    const source = createPrometheusSource({ url: stub.base, caFile, tokenFile: null });
    try {
      await writeFile(caFile, other.authority.certificatePem);
      expect(failureTypeOf(await failureOf(source.query({ promql: 'up' })))).toBe('Unauthorized');
      await writeFile(caFile, stub.authority.certificatePem);
      expect(await source.query({ promql: 'up' })).toMatchObject({ series: [{}] });
    } finally {
      await source.close();
      await other.close();
    }
  });

  it('at which no process listens is named', async () => {
    const { base } = stub;
    await stub.close();
    const source = createPrometheusSource({ url: base, caFile, tokenFile: null });
    expect(String(await failureOf(source.query({ promql: 'up' })))).toContain('no process listens');
    await source.close();
    stub = await startTlsStub();
  });
});

describe('the token', () => {
  const TOKEN = 'canary-of-prometheus';

  it('is sent from its file, whose next content counts for the next query', async () => {
    stub.answers(SCALAR);
    const tokenFile = join(folder, 'token');
    const source = createPrometheusSource({ url: stub.base, caFile, tokenFile });
    for (const token of [TOKEN, 'renewed']) {
      await writeFile(tokenFile, `${token}\n`);
      await source.query({ promql: 'up' });
    }
    await source.close();
    expect(stub.seen.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${TOKEN}`,
      'Bearer renewed',
    ]);
  });

  it('is in no error, even when the server repeats it', async () => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, TOKEN);
    stub.answers(json(403, { status: 'error', error: `user ${TOKEN} may not` }));
    const error = await failureOf(ask({ tokenFile }));
    expect(failureTypeOf(error)).toBe('Forbidden');
    expect(String(error)).toContain('may not');
    expect(JSON.stringify(error) + String(error)).not.toContain(TOKEN);
  });

  it.each([
    ['empty', ''],
    ['of two lines', 'one\ntwo'],
    ['with a blank', 'one two'],
  ])('is refused where its file is %s, without its content', async (_name, content) => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, content);
    const error = await failureOf(ask({ tokenFile }));
    expect(String(error)).toContain('must hold one token');
    expect(String(error)).not.toContain('two');
    expect(stub.seen).toEqual([]);
  });

  it('is refused where its file is gone', async () => {
    const error = await failureOf(ask({ tokenFile: join(folder, 'none') }));
    expect(String(error)).toMatch(/tokenFile .*none is not readable \(ENOENT\)/);
  });
});
