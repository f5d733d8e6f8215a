import type { CountBaseline } from '../../domain/gates/counts/count-baseline.js';
import {
  countQuery,
  countSelectors,
  type CountSelectors,
} from '../../domain/gates/own/count-query.js';
import { gaugeQuery, ownSampleIn } from '../../domain/gates/own/gauge-query.js';
import type { OwnReading } from '../../domain/gates/own/own-book.js';
import { ownCountsIn } from '../../domain/gates/own/count-reading.js';
import type { CountReading } from '../../domain/gates/own/own-counts.js';
import { pastBaseline, pastOf } from '../../domain/gates/own/past-baseline.js';
import { unmeasured } from '../../domain/gates/samples/measurement.js';
import type { OwnCountGate, OwnGauge } from '../../domain/policy.js';
import { failureTypeOf, plainMessage } from '../failures.js';
import type { ClusterMetrics, JoinedQuery } from '../ports.js';

/** Clusters that share a query of counts: their answer is within its limit with as many targets each as are counted at most. */
const TOGETHER = { now: 50, past: 5 };

const NO_SOURCE = {
  kind: 'unmeasured',
  why: 'the inventory of this worker names no Prometheus for this cluster (metrics.prometheus)',
} as const;

interface GateRequest<Gate> {
  readonly gate: Gate;
  readonly signal: AbortSignal;
  /** Our clock, for a server that does not tell its own. */
  readonly nowMs: number;
}

/** The value of a gauge, dated by the scrapes behind it. */
export async function readOwnGauge(
  metrics: ClusterMetrics | undefined,
  { gate, signal, nowMs }: GateRequest<OwnGauge>,
): Promise<OwnReading> {
  if (metrics === undefined) return NO_SOURCE;
  const { labels, staleAfterMs } = metrics;
  try {
    const answer = await metrics.own({ promql: gaugeQuery(gate, labels) }, signal);
    return ownSampleIn(answer.series, { nowMs: answer.serverTimeMs ?? nowMs, staleAfterMs });
  } catch (error) {
    if (failureTypeOf(error) === null) throw error;
    return { kind: 'unanswered', why: plainMessage(error) };
  }
}

interface CountRequest extends GateRequest<OwnCountGate> {
  /** Whether to ask for what is usual, too. */
  readonly isFirst: boolean;
  /** Told why the past is not known, which is no reason to hold. */
  readonly onNoPast: (why: string) => void;
}

/** What the processes of a cluster have counted for a gate, and with the first reading what is usual. */
export async function readOwnCounts(
  metrics: ClusterMetrics | undefined,
  request: CountRequest,
): Promise<CountReading> {
  const { gate, signal, nowMs, isFirst } = request;
  if (metrics === undefined) {
    return { gate, counts: NO_SOURCE, clockMs: nowMs, staleAfterMs: 0, past: null };
  }
  const selectors = countSelectors(gate);
  const { staleAfterMs } = metrics;
  const nothing = { gate, clockMs: nowMs, staleAfterMs, past: null };
  if (selectors.kind === 'unmeasured') return { ...nothing, counts: selectors };
  const query = queryOf(selectors.value);
  try {
    const { kind, series, serverTimeMs } = await metrics.joined(query, signal);
    const counts =
      kind === 'raw'
        ? unmeasured('the answer has scrapes where counts were asked for')
        : ownCountsIn(series, selectors.value);
    // Six hours are not asked for again and again while nothing can be counted.
    const isWanted = isFirst && counts.kind === 'measured';
    const past = isWanted ? await readPast(metrics, query, selectors.value, request) : null;
    return { gate, counts, clockMs: serverTimeMs ?? nowMs, staleAfterMs, past };
  } catch (error) {
    if (failureTypeOf(error) === null) throw error;
    return { ...nothing, counts: unmeasured(plainMessage(error)) };
  }
}

function queryOf(selectors: CountSelectors): JoinedQuery {
  return {
    key: JSON.stringify(selectors),
    promql: (clusters) => countQuery(selectors, clusters),
    mostTogether: TOGETHER.now,
  };
}

/** Null where the server cannot answer it: then the counters of the processes themselves say what is usual. */
async function readPast(
  metrics: ClusterMetrics,
  query: JoinedQuery,
  selectors: CountSelectors,
  { signal, nowMs, onNoPast }: CountRequest,
): Promise<CountBaseline | null> {
  try {
    const over = pastOf(nowMs);
    const { series } = await metrics.joined(
      { ...query, over, mostTogether: TOGETHER.past },
      signal,
    );
    return pastBaseline(series, selectors, nowMs);
  } catch (error) {
    if (failureTypeOf(error) === null) throw error;
    onNoPast(plainMessage(error));
    return null;
  }
}
