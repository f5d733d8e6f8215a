import type { TimeSeries } from '../../domain/gates/samples/time-series.js';
import { failure } from '../failures.js';
import type { MetricAnswer, MetricQuery, MetricSource } from '../ports.js';
import { raceAbort } from '../race-abort.js';
import { type Match, type RawRequest, rawSelector } from './raw-selector.js';

/** Queries of all clusters of a worker at one server: equal ones are sent once. */
export interface MetricBatcher {
  /** Scrapes of the wanted metrics of one cluster: the same ones of several clusters are one query. */
  raw(request: RawRequest, signal: AbortSignal): Promise<MetricAnswer>;
  /** An operator's query; of its series those with these labels, which the query must keep. */
  own(query: MetricQuery, match: Match, signal: AbortSignal): Promise<MetricAnswer>;
}

export interface BatcherSettings {
  /** Waits before each query is sent; meanwhile others join it. */
  readonly pause: (ms: number) => Promise<void>;
}

/** Five queries a second at most, however many clusters and gates there are. */
const BETWEEN_QUERIES_MS = 200;
/** Clusters that share a query: their scrapes of a histogram in two minutes are within the limit of an answer. */
const MOST_TOGETHER = 50;
/** Queries that wait: half a minute's. */
const MOST_WAITING = 150;

interface Group {
  readonly key: string;
  readonly matches: Match[];
  readonly query: () => MetricQuery;
  readonly answer: Promise<MetricAnswer>;
  readonly settle: (answer: Promise<MetricAnswer>) => void;
}

/**
 * Sends at most five queries a second. A query that waits for its turn is joined by equal ones of other clusters; each
 * caller gets the series that match it. A caller that gives up takes nothing from the others. Callers share the failure of a
 * query; too many that wait are `Throttled`.
 */
export function createMetricBatcher(
  source: MetricSource,
  { pause }: BatcherSettings,
): MetricBatcher {
  const queue = createQueue(source, pause);
  const ask = async (
    { key, match, signal }: { key: string; match: Match; signal: AbortSignal },
    query: (matches: readonly Match[]) => MetricQuery,
  ): Promise<MetricAnswer> => {
    signal.throwIfAborted();
    const group = queue.joined(key, query);
    group.matches.push(match);
    const answer = await raceAbort(signal, group.answer);
    return { ...answer, series: answer.series.filter((one) => isMatched(one, match)) };
  };
  return {
    raw: (request, signal) => {
      const { names, pastMs, match } = request;
      const key = JSON.stringify(['raw', names, pastMs, Object.keys(match).sort()]);
      return ask({ key, match, signal }, (matches) => ({
        promql: rawSelector(names, pastMs, matches),
      }));
    },
    own: (query, match, signal) =>
      ask({ key: JSON.stringify(['own', query]), match, signal }, () => query),
  };
}

interface Queue {
  /** The group of this key that still waits; a new one at the end where there is none with room. */
  joined(key: string, query: (matches: readonly Match[]) => MetricQuery): Group;
}

function createQueue(source: MetricSource, pause: BatcherSettings['pause']): Queue {
  const waiting: Group[] = [];
  let isSending = false;
  const sendAll = async (): Promise<void> => {
    isSending = true;
    while (waiting.length > 0) {
      try {
        await pause(BETWEEN_QUERIES_MS);
      } catch (error) {
        // Without a pause nothing may be sent. Those that wait would do so for ever; the next request begins again.
        for (const group of waiting.splice(0)) group.settle(Promise.reject(asError(error)));
        break;
      }
      const group = waiting.shift();
      if (group !== undefined) group.settle(asked(source, group));
    }
    isSending = false;
  };
  return {
    joined: (key, query) => {
      const known = waiting.find((one) => one.key === key && one.matches.length < MOST_TOGETHER);
      if (known !== undefined) return known;
      if (waiting.length === MOST_WAITING) {
        throw failure('Throttled', `${String(MOST_WAITING)} queries of metrics wait already`);
      }
      const group = newGroup(key, query);
      waiting.push(group);
      if (!isSending) void sendAll();
      return group;
    },
  };
}

/** A source that throws instead of answering is told to this group alone. */
async function asked(source: MetricSource, { query }: Group): Promise<MetricAnswer> {
  return source.query(query());
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function newGroup(key: string, query: (matches: readonly Match[]) => MetricQuery): Group {
  const matches: Match[] = [];
  let settle: Group['settle'] = () => undefined;
  const answer = new Promise<MetricAnswer>((resolve) => {
    settle = resolve;
  });
  // All of its callers may have given up when it fails.
  answer.catch(() => undefined);
  return { key, matches, query: () => query(matches), answer, settle };
}

function isMatched({ labels }: TimeSeries, match: Match): boolean {
  return Object.entries(match).every(([name, value]) => labels.get(name) === value);
}
