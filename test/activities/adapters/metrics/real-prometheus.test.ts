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
import { readOwnCounts } from '../../../../activities/gates/own-readings.js';
import { countQuery, countSelectors } from '../../../../domain/gates/own/count-query.js';
import { pastBaseline } from '../../../../domain/gates/own/past-baseline.js';
import { gaugeQuery, ownSampleIn } from '../../../../domain/gates/own/gauge-query.js';
import type { CountReading } from '../../../../domain/gates/own/own-counts.js';
import { singleValue } from '../../../../domain/gates/samples/time-series.js';
import type { OwnQuantile, OwnRatio } from '../../../../domain/policy.js';
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
# TYPE calls_total counter
calls_total{code="200"} ${String(3 * scrapes)}
calls_total{code="503"} ${String(scrapes)}
# TYPE sync_seconds histogram
sync_seconds_bucket{le="64"} 3
sync_seconds_bucket{le="2e+06"} 4
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

/** A target of the same job that cannot be scraped. */
const AWAY = '127.0.0.1:1';
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
          static_configs: [{ targets: [target.address, AWAY], labels: { cluster: CLUSTER } }],
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

  const ERRORS = { kind: 'ratio', bad: 'calls_total{code=~"5.."}', total: 'calls_total' } as const;
  const SLOW = { kind: 'quantile', histogram: 'sync_seconds', quantile: 0.5, limit: 64 } as const;
  /** What the product reads of a gate of these series. */
  const countsOf = async (
    written: Omit<OwnRatio, 'name' | 'limit'> | Omit<OwnQuantile, 'name'>,
    match: Readonly<Record<string, string>> = { cluster: CLUSTER },
  ): Promise<CountReading['counts']> => {
    const batcher = createMetricBatcher(source, { pause: () => Promise.resolve() });
    const { counts } = await readOwnCounts(
      {
        ...{ host: 'prometheus', labels: ['cluster'], staleAfterMs: 60_000 },
        own: (query, signal) => batcher.own(query, match, signal),
        joined: (query, signal) => batcher.joined(query, match, signal),
      },
      {
        gate: { ...{ name: 'calls', limit: 0.1 }, ...written },
        ...{ nowMs: Date.now(), isFirst: true, signal: new AbortController().signal },
        onNoPast: (why) => {
          throw new Error(why);
        },
      },
    );
    return counts;
  };
  const place = (): string => `{instance="${target.address}",job="kcm"}`;

  it.each([
    ['events of which some are bad', ERRORS],
    ['events above an edge', SLOW],
    ['events above an edge that is written otherwise', { ...SLOW, limit: 2e6 }],
    ['bad events by a metric of their own', { ...ERRORS, bad: 'errors_total' }],
  ])('counts %s, of each process at one scrape', async (_name, written) => {
    const counts = await countsOf(written);
    const [sample] = counts.kind === 'measured' ? counts.value.samples : [];
    const down = [`{instance="${AWAY}",job="kcm"}`];
    expect(counts).toMatchObject({ kind: 'measured', value: { down } });
    expect(sample).toMatchObject({ place: place(), startedAtMs: 1_790_000_000_000 });
    const scrapedAtMs = sample?.scrapedAtMs ?? 0;
    expect(Math.abs(Date.now() - scrapedAtMs)).toBeLessThan(60_000);
    const { bad, total } = sample?.counts ?? { bad: 0, total: 0 };
    expect(bad).toBeGreaterThan(0);
    expect(bad).toBeLessThanOrEqual(total);
  });

  it('knows what was usual, each event once', async () => {
    const selectors = countSelectors({ ...{ name: 'calls', limit: 0.1 }, ...ERRORS });
    if (selectors.kind === 'unmeasured') throw new Error(selectors.why);
    const promql = countQuery(selectors.value, [{ cluster: CLUSTER }]);
    const past = await eventually(20_000, async () => {
      const endMs = Date.now();
      // Nearer together than scrapes, so that most moments are of a scrape seen before.
      const over = { startMs: endMs - 30_000, endMs, stepMs: 100 };
      const { series } = await source.query({ promql, over });
      const baseline = pastBaseline(series, selectors.value, endMs);
      return baseline === null || baseline.total < 12 ? null : { baseline, series };
    });
    const { baseline, series } = past;
    expect(baseline.bad * 4).toBe(baseline.total);
    const totals = series
      .filter(({ labels }) => labels.get('ccm_migrate_part') === 'total')
      .flatMap(({ points }) => points.map(({ value }) => value));
    expect(baseline.total).toBe(Math.max(...totals) - Math.min(...totals));
  });

  it.each([
    ['a series that is not there', { ...ERRORS, total: 'none_total' }, 'no series of none_total'],
    ['a bad series that is not there', { ...ERRORS, bad: 'none_total' }, 'no series of none_total'],
    ['a label that is not there', { ...ERRORS, bad: 'calls_total{status="500"}' }, 'label status'],
    ['an edge that no bucket has', { ...SLOW, limit: 60 }, 'has a bucket with this edge'],
    ['a number that counts nothing', { ...ERRORS, bad: 'nothing' }, 'counts no events'],
  ])('counts nothing of %s', async (_name, written, why) => {
    expect(await countsOf(written)).toEqual({
      ...{ kind: 'unmeasured', why: expect.stringContaining(why) },
    });
  });

  it('counts nothing of another cluster', async () => {
    expect(await countsOf(ERRORS, { cluster: 'prod-1' })).toEqual({
      ...{ kind: 'unmeasured', why: 'no series of calls_total now' },
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
    ['several series', 'sync_seconds_bucket', { kind: 'unmeasured', why: 'the query has 3 series, not one' }], // prettier-ignore
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
