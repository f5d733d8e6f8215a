import type { TimeSeries } from '../../domain/gates/samples/time-series.js';
import { failure } from '../failures.js';
import type { ClusterMatch } from '../../domain/gates/own/series-selector.js';
import type { JoinedQuery, MetricAnswer, MetricQuery, MetricSource } from '../ports.js';
import { raceAbort } from '../race-abort.js';

/** Queries of all clusters of a worker at one server: equal ones are sent once. */
export interface MetricBatcher {
  /** An expression that is built for the clusters that share it; of its series those with these labels. */
  joined(query: JoinedQuery, match: ClusterMatch, signal: AbortSignal): Promise<MetricAnswer>;
  /** An operator's query; of its series those with these labels, which the query must keep. */
  own(query: MetricQuery, match: ClusterMatch, signal: AbortSignal): Promise<MetricAnswer>;
}

export interface BatcherSettings {
  /** Waits before each query is sent; meanwhile others join it. */
  readonly pause: (ms: number) => Promise<void>;
}

/** Five queries a second at most, however many clusters and gates there are. */
const BETWEEN_QUERIES_MS = 200;
/** Queries that wait: half a minute's. */
const MOST_WAITING = 150;

interface Group {
  readonly key: string;
  readonly matches: ClusterMatch[];
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
    shared: SharedQuery,
    match: ClusterMatch,
    signal: AbortSignal,
  ): Promise<MetricAnswer> => {
    signal.throwIfAborted();
    const group = queue.joined(shared);
    group.matches.push(match);
    const answer = await raceAbort(signal, group.answer);
    return { ...answer, series: answer.series.filter((one) => isMatched(one, match)) };
  };
  return {
    joined: ({ key, promql, over, mostTogether }, match, signal) => {
      const during = over === undefined ? {} : { over };
      const query: SharedQuery['query'] = (matches) => ({ promql: promql(matches), ...during });
      const shared = JSON.stringify(['joined', key, over, Object.keys(match).sort()]);
      return ask({ key: shared, query, mostTogether }, match, signal);
    },
    own: (query, match, signal) => {
      const key = JSON.stringify(['own', query]);
      return ask({ key, query: () => query, mostTogether: Infinity }, match, signal);
    },
  };
}

interface SharedQuery extends Pick<JoinedQuery, 'key' | 'mostTogether'> {
  readonly query: (matches: readonly ClusterMatch[]) => MetricQuery;
}

interface Queue {
  /** The group of this key that still waits; a new one at the end where there is none with room. */
  joined(shared: SharedQuery): Group;
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
    joined: (shared) => {
      const known = waiting.find(
        ({ key, matches }) => key === shared.key && matches.length < shared.mostTogether,
      );
      if (known !== undefined) return known;
      if (waiting.length === MOST_WAITING) {
        throw failure('Throttled', `${String(MOST_WAITING)} queries of metrics wait already`);
      }
      const group = newGroup(shared);
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

function newGroup({ key, query }: SharedQuery): Group {
  const matches: ClusterMatch[] = [];
  let settle: Group['settle'] = () => undefined;
  const answer = new Promise<MetricAnswer>((resolve) => {
    settle = resolve;
  });
  // All of its callers may have given up when it fails.
  answer.catch(() => undefined);
  return { key, matches, query: () => query(matches), answer, settle };
}

function isMatched({ labels }: TimeSeries, match: ClusterMatch): boolean {
  return Object.entries(match).every(([name, value]) => labels.get(name) === value);
}
