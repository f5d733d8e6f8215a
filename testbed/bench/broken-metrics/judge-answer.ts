import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';
import { createPrometheusSource } from '../../../activities/adapters/metrics/prometheus.js';
import { createMetricBatcher } from '../../../activities/gates/metric-batcher.js';
import { queriedScrapes } from '../../../activities/gates/process-scrapes.js';
import { differenceCounters } from '../../../domain/gates/samples/difference-counters.js';
import { ratioCounts } from '../../../domain/gates/samples/event-counts.js';
import { type Measurement, unmeasured } from '../../../domain/gates/samples/measurement.js';
import { pickedCount } from '../../../domain/gates/samples/picked-values.js';
import type { ProcessScrape } from '../../../domain/gates/samples/process-scrape.js';
import type { CountIncrement } from '../../../domain/gates/counts/count-increment.js';
import type { GoodAnswer } from './broken-answers.js';

export interface MetricsServer {
  readonly url: string;
  /** Bytes written to its connections so far. */
  sent(): number;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that answers each query in this way. */
export async function startMetricsServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<MetricsServer> {
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      answer(request, response);
    });
  });
  server.on('connection', (socket) => {
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    sent: () => sockets.reduce((all, { bytesWritten }) => all + bytesWritten, 0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * What the product makes of the last two scrapes of a ratio that this server answers: the events counted in between, or why
 * there are none.
 */
export async function judgeAnswer(
  url: string,
  { nowMs, metrics }: GoodAnswer,
  timeoutMs: number,
): Promise<Measurement<CountIncrement>> {
  const source = createPrometheusSource({ url, caFile: null, tokenFile: null });
  const { signal } = new AbortController();
  const limited = {
    query: (query: Parameters<typeof source.query>[0]) => source.query(query, { timeoutMs }),
  };
  const batcher = createMetricBatcher(limited, { pause: () => Promise.resolve() });
  const wanted = metrics.map((name) => ({ name, type: 'counter' as const }));
  const match = { cluster: 'prod-1' };
  try {
    const found = await queriedScrapes(batcher, { wanted, match, pastMs: 120_000 }, signal);
    if (found.kind === 'unmeasured') return found;
    const scrapes = found.value.places.flatMap((place) => place.scrapes);
    return difference(scrapes.map(({ scrape }) => scrape).slice(-2), metrics, nowMs);
  } finally {
    await source.close();
  }
}

function difference(
  scrapes: readonly Measurement<ProcessScrape>[],
  [bad, total]: GoodAnswer['metrics'],
  nowMs: number,
): Measurement<CountIncrement> {
  const [previous, next] = scrapes;
  if (previous === undefined || next === undefined) return unmeasured('fewer than two scrapes');
  if (previous.kind === 'unmeasured') return previous;
  if (next.kind === 'unmeasured') return next;
  const [before, now] = [previous.value, next.value].map(({ families, ...scrape }) => ({
    ...scrape,
    counts: ratioCounts(
      pickedCount(families, { metric: bad }),
      pickedCount(families, { metric: total }),
    ),
  }));
  if (before === undefined || now === undefined) return unmeasured('fewer than two scrapes');
  const found = differenceCounters(before, now, { nowMs, staleAfterMs: 120_000 });
  return found.kind === 'counted'
    ? { kind: 'measured', value: found.increment }
    : unmeasured(found.why);
}
