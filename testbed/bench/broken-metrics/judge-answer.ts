import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';
import { createPrometheusSource } from '../../../activities/adapters/metrics/prometheus.js';
import { createMetricBatcher } from '../../../activities/gates/metric-batcher.js';
import { readOwnCounts } from '../../../activities/gates/own-readings.js';
import type { ClusterMetrics } from '../../../activities/ports.js';
import type { CountIncrement } from '../../../domain/gates/counts/count-increment.js';
import { afterCountRound, type CountReading } from '../../../domain/gates/own/own-counts.js';
import type { ProcessCounts } from '../../../domain/gates/samples/difference-counters.js';
import {
  type Measurement,
  measured,
  unmeasured,
} from '../../../domain/gates/samples/measurement.js';
import { seriesKey } from '../../../domain/gates/samples/series-key.js';
import { EMPTY_BOOK } from '../../../domain/gates/watch/gate-book.js';
import type { MetricGatePolicy, OwnCountGate } from '../../../domain/policy.js';
import { type GoodAnswer, processStartMs, SCRAPED_TARGET } from './broken-answers.js';

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

const GATE: OwnCountGate = {
  ...{ name: 'answered', kind: 'ratio', limit: 0.05 },
  ...{ bad: 'nodesync_error_total', total: 'loadbalancer_sync_total' },
};
const SCRAPE_MS = 15_000;
const STALE_MS = 120_000;
const POLICY: MetricGatePolicy = {
  ...{ catalogue: 'off', except: [], everyMs: SCRAPE_MS, unmeasuredMs: STALE_MS, own: [GATE] },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

/**
 * What the product makes of this server's answer for a ratio, after a round in which none of 10 events was bad: the events counted
 * in between, or why there are none.
 */
export async function judgeAnswer(
  url: string,
  good: GoodAnswer,
  timeoutMs: number,
): Promise<Measurement<CountIncrement>> {
  const source = createPrometheusSource({ url, caFile: null, tokenFile: null });
  const limited = {
    query: (query: Parameters<typeof source.query>[0]) => source.query(query, { timeoutMs }),
  };
  const batcher = createMetricBatcher(limited, { pause: () => Promise.resolve() });
  const match = { cluster: 'prod-1' };
  const metrics: ClusterMetrics = {
    ...{ host: new URL(url).host, labels: ['cluster'], staleAfterMs: STALE_MS },
    own: (query, signal) => batcher.own(query, match, signal),
    joined: (query, signal) => batcher.joined(query, match, signal),
  };
  try {
    const reading = await readOwnCounts(metrics, {
      ...{ gate: GATE, nowMs: good.nowMs, isFirst: false, onNoPast: () => undefined },
      signal: new AbortController().signal,
    });
    return addedBy({ ...reading, clockMs: good.nowMs }, good);
  } finally {
    await source.close();
  }
}

/** What a reading adds to the round before it. */
function addedBy(reading: CountReading, good: GoodAnswer): Measurement<CountIncrement> {
  const { nowMs } = good;
  const [beforeMs, setup] = [nowMs - SCRAPE_MS, ''];
  const before: CountReading = {
    ...{ ...reading, clockMs: beforeMs },
    counts: measured({ samples: [sampleAt(beforeMs, good)], down: [] }),
  };
  const begun = afterCountRound(EMPTY_BOOK, [before], { atMs: beforeMs, setup }, POLICY);
  const { gates } = afterCountRound(begun, [reading], { atMs: nowMs, setup }, POLICY);
  const state = gates[GATE.name];
  if (state?.kind !== 'counts' || state.watch === null) return unmeasured('nothing was counted');
  if (state.why !== '') return unmeasured(state.why);
  const [, , bad, total] = state.watch.latest;
  return measured({ atMs: state.watch.lastAtMs, bad, total });
}

function sampleAt(scrapedAtMs: number, good: GoodAnswer): ProcessCounts {
  return {
    ...{ place: seriesKey(new Map(Object.entries(SCRAPED_TARGET))), scrapedAtMs },
    ...{ startedAtMs: processStartMs(good), counts: { bad: 0, total: 10 } },
  };
}
