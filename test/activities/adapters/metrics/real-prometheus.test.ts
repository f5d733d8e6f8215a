import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import {
  type PrometheusSource,
  createPrometheusSource,
} from '../../../../activities/adapters/metrics/prometheus.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import { createMetricBatcher } from '../../../../activities/gates/metric-batcher.js';
import { queriedScrapes } from '../../../../activities/gates/process-scrapes.js';
import { gaugeQuery, ownSampleIn } from '../../../../domain/gates/own/gauge-query.js';
import { latencyCounts } from '../../../../domain/gates/samples/event-counts.js';
import type { WantedMetric } from '../../../../domain/gates/samples/metric-families.js';
import { pickedCount, pickedHistogram } from '../../../../domain/gates/samples/picked-values.js';
import { singleValue } from '../../../../domain/gates/samples/time-series.js';
import { eventually } from '../../../contract/eventually.js';
import { failureOf } from '../http/tls-stub.js';

const binary = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'prometheus'))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
const where = binary === undefined ? ' (left out: no prometheus in PATH, Debian: prometheus)' : '';

/** What a manager exposes; its counter grows with each scrape. */
function startTarget(): Promise<{ server: Server; address: string }> {
  let scrapes = 0;
  const server = createServer((_request, response) => {
    scrapes += 1;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(`process_start_time_seconds 1.79e+09
# TYPE errors_total counter
errors_total{text="a\\"b"} ${String(scrapes)}
# TYPE sync_seconds histogram
sync_seconds_bucket{le="64"} 3
sync_seconds_bucket{le="+Inf"} 5
sync_seconds_sum 9
sync_seconds_count 5
# TYPE nothing gauge
nothing NaN
`);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({ server, address: `127.0.0.1:${String((server.address() as AddressInfo).port)}` });
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const WANTED: readonly WantedMetric[] = [
  { name: 'errors_total', type: 'counter' },
  { name: 'sync_seconds', type: 'histogram' },
];
/** Names that an expression would take for something else. */
const CLUSTER = 'prod.1|"\\';

(binary === undefined ? describe.skip : describe)(`a real Prometheus${where}`, () => {
  let folder: string;
  let target: Awaited<ReturnType<typeof startTarget>>;
  let running: ChildProcess;
  let source: PrometheusSource;

  beforeAll(async () => {
    target = await startTarget();
    folder = await mkdtemp(join(tmpdir(), 'real-prometheus-'));
    const port = await freePort();
    const config = {
      global: { scrape_interval: '500ms', scrape_timeout: '500ms' },
      scrape_configs: [
        {
          job_name: 'kcm',
          static_configs: [{ targets: [target.address], labels: { cluster: CLUSTER } }],
        },
      ],
    };
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
    running = spawn(
      String(binary),
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${String(port)}`,
      ],
      { stdio: 'ignore' },
    );
    const url = `http://127.0.0.1:${String(port)}`;
    source = createPrometheusSource({ url, caFile: null, tokenFile: null });
    await eventually(60_000, () =>
      source.query({ promql: 'errors_total > 3' }).then(
        ({ series }) => (series.length > 0 ? true : null),
        () => null,
      ),
    );
  }, 90_000);

  afterAll(async () => {
    await source.close();
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
    await new Promise((resolve) => target.server.close(resolve));
    target.server.closeAllConnections();
    await rm(folder, { recursive: true });
  });

  it('returns the scrapes of a cluster, each with its process and its own time', async () => {
    const batcher = createMetricBatcher(source, { pause: () => Promise.resolve() });
    const asked = { wanted: WANTED, match: { cluster: CLUSTER }, pastMs: 120_000 };
    const found = await queriedScrapes(batcher, asked, new AbortController().signal);
    const [place] = found.kind === 'measured' ? found.value.places : [];
    const scrapes = (place?.scrapes ?? []).map(({ scrape }) =>
      scrape.kind === 'measured' ? scrape.value : null,
    );
    const [first, second] = scrapes;
    expect(place?.place).toBe(`{instance="${target.address}",job="kcm"}`);
    expect(first).toMatchObject({ startedAtMs: 1_790_000_000_000 });
    expect(second?.scrapedAtMs).toBeGreaterThan(first?.scrapedAtMs ?? Infinity);
    const counts = scrapes.map((one) =>
      one === null
        ? null
        : pickedCount(one.families, { metric: 'errors_total', labels: { text: 'a"b' } }),
    );
    const values = counts.map((one) => (one?.kind === 'measured' ? one.value : Number.NaN));
    expect(values.length).toBeGreaterThan(1);
    // A scrape that took too long was served, and is missing here.
    expect(values.every((value, index) => value > (values[index - 1] ?? 0))).toBe(true);
    const families = second?.families ?? new Map();
    expect(latencyCounts(pickedHistogram(families, { metric: 'sync_seconds' }), 64)).toEqual({
      kind: 'measured',
      value: { bad: 2, total: 5 },
    });
  });

  it('has nothing of another cluster', async () => {
    const batcher = createMetricBatcher(source, { pause: () => Promise.resolve() });
    const asked = { wanted: WANTED, match: { cluster: 'prod-1' }, pastMs: 120_000 };
    expect(await queriedScrapes(batcher, asked, new AbortController().signal)).toEqual({
      kind: 'unmeasured',
      why: 'no scrapes of these metrics of this cluster',
    });
  });

  it.each([
    ['a vector', 'count(errors_total)', { kind: 'measured', value: { value: 1 } }],
    ['a scalar', 'scalar(vector(3))', { kind: 'measured', value: { value: 3 } }],
    ['nothing', 'absent(errors_total)', { kind: 'unmeasured', why: 'the query has no result' }],
    ['NaN', 'nothing', { kind: 'unmeasured', why: 'the query results in NaN' }],
    ['an infinite value', '1 / (errors_total * 0)', { kind: 'unmeasured' }],
  ])('answers a query with %s', async (_name, promql, expected) => {
    expect(singleValue((await source.query({ promql })).series)).toMatchObject(expected);
  });

  it.each([
    ['a metric', 'errors_total', { kind: 'measured' }],
    [
      'a calculation over a time',
      'sum by (cluster) (rate(errors_total[5s])) # of all',
      { kind: 'measured' },
    ],
    [
      'a series that is not there yet',
      'sum by (cluster) (rate(none_total[5s]) or 0 * up)',
      { kind: 'measured', value: { value: 0 } },
    ],
    ['a name that cannot be written', 'max by (cluster) ({__name__="errors_total"})', { kind: 'measured' }], // prettier-ignore
    ['no series', 'sum by (cluster) (none_total)', { kind: 'unmeasured' }],
    ['several series', 'sync_seconds_bucket', { kind: 'unmeasured', why: 'the query has 2 series, not one' }], // prettier-ignore
    ['NaN', 'nothing', { kind: 'unmeasured', why: 'the query results in NaN' }],
    ['another cluster alone', 'sum(errors_total)', { kind: 'unmeasured', why: 'the query has no result' }], // prettier-ignore
  ])('dates the value of a gauge by its scrapes: %s', async (_name, promql, expected) => {
    const batcher = createMetricBatcher(source, { pause: () => Promise.resolve() });
    const query = { promql: gaugeQuery({ promql }, ['cluster']) };
    const { series } = await batcher.own(query, { cluster: CLUSTER }, new AbortController().signal);
    const nowMs = Date.now();
    const sample = ownSampleIn(series, { nowMs, staleAfterMs: 60_000 });
    expect(sample).toMatchObject(expected);
    if (sample.kind === 'unmeasured') return;
    // A scrape is whole before it is answered, so that its time is not that of the query.
    expect(sample.value.scrapedAtMs).toBeLessThan(nowMs);
    expect(sample.value.scrapedAtMs).toBeGreaterThan(nowMs - 60_000);
  });

  it('answers a query over a time', async () => {
    const endMs = Date.now();
    const over = { startMs: endMs - 1000, endMs, stepMs: 1000 };
    const { kind, series } = await source.query({ promql: 'vector(1)', over });
    expect(kind).toBe('calculated');
    expect(series[0]?.points).toHaveLength(2);
  });

  it.each([
    ['cannot be parsed', 'sum(', 'InvalidInput', 'parse error'],
    ['results in a text', '"a"', 'Unavailable', 'results in a text'],
    [
      'joins what cannot be joined',
      'errors_total + on() {cluster!=""}',
      'InvalidInput',
      'found duplicate series',
    ],
  ])('says what is wrong with a query that %s', async (_name, promql, type, words) => {
    const error = await failureOf(source.query({ promql }));
    expect(failureTypeOf(error)).toBe(type);
    expect(String(error)).toContain(words);
  });
});
