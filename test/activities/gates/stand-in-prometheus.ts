import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a Prometheus has scraped of one metric of one cluster. */
export interface Scraped {
  readonly value: string;
  /** Epoch ms. */
  readonly atMs: number;
}

/** A server with the API of Prometheus as the product asks it, on a port that it keeps while it is down. */
export interface StandInPrometheus {
  readonly url: string;
  /** Queries that it answered. */
  readonly queries: string[];
  start(): Promise<void>;
  /** As kill -9: connections break, and no process listens. */
  kill(): Promise<void>;
}

/** Times in epoch ms. */
export interface Counted {
  readonly picked: number;
  readonly total: number;
  readonly startedAtMs: number;
  readonly scrapedAtMs: number;
}

interface Answers {
  readonly nowMs: () => number;
  /** The series of an expression now; none when it was not scraped. */
  readonly scraped: (promql: string) => readonly Scraped[];
  /** What the one process had counted when it was scraped last before a time; of an answer to a query of counts. */
  readonly counted?: (atMs: number) => Counted;
  /** Sent beside the result. */
  readonly warnings?: () => readonly string[];
}

const PART = /label_replace\((.*?), "ccm_migrate_part", "(\w+)", "", ""\)/gs;

/**
 * Answers what real servers answer (test/activities/adapters/metrics/real-prometheus.test.ts) for joined parts: the values of an
 * expression at the time of the query, and the times of scrapes as seconds.
 */
export function standInPrometheus(answers: Answers, match: Readonly<Record<string, string>>) {
  const queries: string[] = [];
  let server: Server | null = null;
  let port = 0;
  const start = async (): Promise<void> => {
    const created = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const form = new URLSearchParams(body);
        const query = form.get('query') ?? '';
        queries.push(query);
        const warnings = answers.warnings?.() ?? [];
        response.writeHead(200, {
          'content-type': 'application/json',
          date: new Date(answers.nowMs()).toUTCString(),
        });
        const data = form.has('step')
          ? { resultType: 'matrix', result: pastOf(form, answers, match) }
          : { resultType: 'vector', result: resultOf(query, answers, match) };
        response.end(
          JSON.stringify({ status: 'success', data, ...(warnings.length > 0 && { warnings }) }),
        );
      });
    });
    await new Promise<void>((resolve) => created.listen(port, '127.0.0.1', resolve));
    port = (created.address() as AddressInfo).port;
    server = created;
  };
  const kill = async (): Promise<void> => {
    const running = server;
    server = null;
    running?.closeAllConnections();
    await new Promise((resolve) => running?.close(resolve) ?? resolve(null));
  };
  return {
    get url() {
      return `http://127.0.0.1:${String(port)}`;
    },
    ...{ queries, start, kill },
  } satisfies StandInPrometheus;
}

type Labels = Readonly<Record<string, string>>;

/** Parts of a query of counts, with the series that a real server has for them. */
function countedParts(
  { picked, total, startedAtMs, scrapedAtMs }: Counted,
  match: Labels,
): readonly (readonly [metric: Labels, value: string])[] {
  const scrapedAt = scrapedAtMs / 1000;
  const times = ['totalFirst', 'totalLast', 'pickedFirst', 'pickedLast'];
  const parts: readonly (readonly [string, number])[] = [
    ...([
      ['total', total],
      ['picked', picked],
      ['started', startedAtMs / 1000],
    ] as const),
    ...times.map((part) => [part, scrapedAt] as const),
  ];
  return parts.map(([part, value]) => [
    { ...match, job: 'web', instance: 'a:1', ccm_migrate_part: part },
    String(value),
  ]);
}

/** The answer over a time: each part at each step. */
function pastOf(form: URLSearchParams, { counted }: Answers, match: Labels): readonly object[] {
  const [start = 0, end = 0, step = 1] = ['start', 'end', 'step'].map((name) =>
    Number(form.get(name)),
  );
  const series = new Map<string, { metric: Labels; values: [number, string][] }>();
  for (let at = start; at <= end && counted !== undefined; at += step) {
    for (const [metric, value] of countedParts(counted(at * 1000), match)) {
      const key = JSON.stringify(metric);
      const known = series.get(key) ?? { metric, values: [] };
      series.set(key, known);
      known.values.push([at, value]);
    }
  }
  return [...series.values()];
}

function resultOf(
  query: string,
  { nowMs, scraped, counted }: Answers,
  match: Readonly<Record<string, string>>,
) {
  if (query.includes('"totalFirst"') && counted !== undefined) {
    return countedParts(counted(nowMs()), match).map(([metric, value]) => ({
      metric,
      value: [nowMs() / 1000, value],
    }));
  }
  const sample = (value: string): readonly [number, string] => [nowMs() / 1000, value];
  return [...query.matchAll(PART)].flatMap(([, inner = '', part = '']) => {
    const metric = { ...match, ccm_migrate_part: part };
    const times = /^min by \([^)]*\) \(timestamp\((.*)\)\)$/s.exec(inner)?.[1];
    if (times === undefined) {
      const found = scraped(inner.slice(1, -1).trim());
      return found.map(({ value }, index) => ({
        metric: found.length > 1 ? { ...metric, instance: String(index) } : metric,
        value: sample(value),
      }));
    }
    const atMs = scraped(times).map((each) => each.atMs);
    return atMs.length === 0 ? [] : [{ metric, value: sample(String(Math.min(...atMs) / 1000)) }];
  });
}
