import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** An answer of a metrics server on which no gate may pass, and what must be said about it. */
export interface BrokenAnswer {
  readonly name: string;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** In the failure, or in the reason why nothing is measured. */
  readonly reason: RegExp;
}

/** What a broken answer is made of: one target with a good ratio, now. */
export interface GoodAnswer {
  /** Of the answer, in milliseconds of Unix time. */
  readonly nowMs: number;
  /** Metrics of bad events and of all, both counters. */
  readonly metrics: readonly [bad: string, total: string];
}

const TARGET = { job: 'kube-controller-manager', instance: '10.0.0.1:10257', cluster: 'prod-1' };
const SCRAPE_MS = 15_000;
const STALE_MS = 10 * 60_000;

interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

/** Two scrapes of a healthy process: 0 of 10, then 0 of 20 events. */
export function goodResult({ nowMs, metrics: [bad, total] }: GoodAnswer): readonly Result[] {
  const started = String((nowMs - 3_600_000) / 1000);
  const times = [(nowMs - SCRAPE_MS) / 1000, nowMs / 1000] as const;
  const series = (name: string, first: string, second: string): Result => ({
    metric: { __name__: name, ...TARGET },
    values: [
      [times[0], first],
      [times[1], second],
    ],
  });
  return [
    series('process_start_time_seconds', started, started),
    series(bad, '0', '0'),
    series(total, '10', '20'),
  ];
}

/** The answer that carries a result, as Prometheus writes it. */
export function matrixAnswer(result: readonly unknown[], more: object = {}): object {
  return { status: 'success', data: { resultType: 'matrix', result }, ...more };
}

type Answer = BrokenAnswer['answer'];

const body =
  (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(text);
  };

const matrix = (result: readonly unknown[], more?: object): Answer =>
  json(matrixAnswer(result, more));

const json = (value: object, status = 200): Answer => body(status, JSON.stringify(value));

/** Endless, as fast as it is read, so that a test sees where the reader stops. */
const endless: Answer = (_request, response) => {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let left = 2 ** 30;
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return;
    }
    response.end();
  };
  response.on('drain', more);
  more();
};

function inTheText(good: GoodAnswer): readonly BrokenAnswer[] {
  const result = goodResult(good);
  const text = JSON.stringify(matrixAnswer(result));
  const values = (write: (value: string) => string): Answer =>
    json(matrixAnswer(withLast(result, good.metrics[1], write)));
  return [
    { name: 'NaN', answer: values(() => 'NaN'), reason: /counts no events/ },
    { name: '+Inf', answer: values(() => '+Inf'), reason: /counts no events/ },
    { name: '-Inf', answer: values(() => '-Inf'), reason: /counts no events/ },
    { name: 'no number', answer: values(() => 'many'), reason: /not a number/ },
    { name: 'negative', answer: values(() => '-1'), reason: /counts no events/ },
    { name: 'truncated JSON', answer: body(200, text.slice(0, -20)), reason: /not complete JSON/ },
    { name: 'two documents', answer: body(200, text + text), reason: /not complete JSON/ },
    { name: 'a list', answer: body(200, '[]'), reason: /not a JSON object/ },
    {
      name: 'deeply nested JSON',
      answer: body(200, '['.repeat(1000)),
      reason: /nested deeper than/,
    },
    {
      name: 'a page of a proxy',
      answer: body(200, '<html>', { 'content-type': 'text/html' }),
      reason: /text\/html instead of JSON/,
    },
    { name: 'no content type', answer: bare(text), reason: /no content type instead of JSON/ },
    { name: 'not UTF-8', answer: latin(text), reason: /not UTF-8/ },
    {
      name: 'a gzip bomb',
      answer: (_request, response) => {
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        });
        response.end(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
      },
      reason: /compressed, which was not asked for/,
    },
  ];
}

const bare =
  (text: string): Answer =>
  (_request, response) => {
    response.writeHead(200);
    response.end(text);
  };

const latin =
  (text: string): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])]));
  };

function inTheResult(good: GoodAnswer): readonly BrokenAnswer[] {
  const result = goodResult(good);
  const [start, bad, total] = result;
  const relabelled = (change: (metric: Result['metric']) => object): Answer =>
    matrix(result.map(({ metric, values }) => ({ metric: change(metric), values })));
  const moved = (ms: number): Answer =>
    matrix(
      result.map(({ metric, values }) => ({
        metric,
        values: values.map(([at, value]) => [at + ms / 1000, value]),
      })),
    );
  return [
    { name: 'empty', answer: matrix([]), reason: /no scrapes/ },
    { name: 'no denominator', answer: matrix([start, bad]), reason: /there is no / },
    { name: 'no process', answer: matrix([bad, total]), reason: /process_start_time_seconds/ },
    { name: 'stale', answer: moved(-STALE_MS), reason: /ms old/ },
    { name: 'from the future', answer: moved(STALE_MS), reason: /in the future/ },
    {
      name: 'relabelled: no instance',
      answer: relabelled(({ instance: _instance, ...metric }) => metric),
      reason: /whose is it/,
    },
    {
      name: 'relabelled: another name',
      answer: relabelled((metric) =>
        metric === total?.metric ? { ...metric, __name__: 'renamed' } : metric,
      ),
      reason: /was not asked for/,
    },
    {
      name: 'relabelled: another cluster',
      answer: relabelled((metric) => ({ ...metric, cluster: 'prod-2' })),
      reason: /no scrapes/,
    },
  ];
}

function inTheSeries(good: GoodAnswer): readonly BrokenAnswer[] {
  const result = goodResult(good);
  const total = result[2];
  return [
    {
      name: 'several series where one was meant',
      answer: matrix([...result, { ...total, metric: { ...total?.metric, verb: 'x' } }]),
      reason: /2 series where one was meant/,
    },
    { name: 'one series twice', answer: matrix([...result, total]), reason: /one series twice/ },
    {
      name: 'more bad events than events',
      answer: matrix(withLast(result, good.metrics[0], () => '21')),
      reason: /contradict/,
    },
    {
      name: 'out of order',
      answer: matrix(result.map((one) => ({ ...one, values: one.values.toReversed() }))),
      reason: /not in the order of time/,
    },
    { name: 'no labels', answer: matrix([{ values: [] }]), reason: /has no metric/ },
    {
      name: 'a native histogram',
      answer: matrix([{ metric: {}, histograms: [] }]),
      reason: /native histogram/,
    },
  ];
}

function inTheEnvelope(good: GoodAnswer): readonly BrokenAnswer[] {
  const result = goodResult(good);
  return [
    {
      name: 'a text',
      answer: json({ status: 'success', data: { resultType: 'string', result: [1, 'a'] } }),
      reason: /a text, not in numbers/,
    },
    { name: 'no data', answer: json({ status: 'success' }), reason: /has no data/ },
    {
      name: 'a partial answer with a warning',
      answer: matrix(result, { warnings: ['store-2: connection refused'] }),
      reason: /may be partial \("store-2: connection refused"\)/,
    },
    {
      name: 'an answer marked as partial',
      answer: matrix(result, { isPartial: true }),
      reason: /may be partial/,
    },
    {
      name: '200 with error',
      answer: json({ ...matrixAnswer(result), status: 'error', error: 'query timed out' }),
      reason: /status is not success \("query timed out"\)/,
    },
  ];
}

function inTheConnection(): readonly BrokenAnswer[] {
  return [
    { name: 'a hang', answer: () => undefined, reason: /no complete answer in time/ },
    {
      name: 'a hang within the answer',
      answer: (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"status":');
      },
      reason: /no complete answer in time/,
    },
    { name: '1 GB', answer: endless, reason: /longer than 8388608 bytes/ },
    {
      name: 'a cut connection',
      answer: (_request, response) => {
        response.socket?.destroy();
      },
      reason: /the connection failed/,
    },
    {
      name: 'less than was promised',
      answer: (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"status":"success"');
        setImmediate(() => response.socket?.destroy());
      },
      reason: /the connection failed/,
    },
  ];
}

function inTheStatus(): readonly BrokenAnswer[] {
  const location = { location: '/elsewhere' };
  const refused = { status: 'error', errorType: 'bad_data', error: 'parse error' };
  return [
    { name: 'a redirect', answer: body(302, '', location), reason: /Redirects are not followed/ },
    { name: 'a redirect of POST', answer: body(308, '', location), reason: /final address/ },
    { name: 'a wrong query', answer: json(refused, 400), reason: /400 \("parse error"\)/ },
    { name: 'no token', answer: body(401, ''), reason: /Renew the token/ },
    { name: 'no right', answer: body(403, ''), reason: /Grant the token's user/ },
    { name: 'no such path', answer: body(404, 'page'), reason: /below which \/api\/v1\/query/ },
    { name: 'too many queries', answer: body(429, ''), reason: /limit of queries/ },
    { name: 'an error of the server', answer: body(500, '{'), reason: /Read the log/ },
    { name: 'a success that is none', answer: body(204, ''), reason: /answered 204/ },
  ];
}

/** The result with another last value of one metric. */
function withLast(
  result: readonly Result[],
  name: string,
  write: (value: string) => string,
): readonly Result[] {
  return result.map((one) =>
    one.metric['__name__'] === name
      ? {
          ...one,
          values: one.values.map(([at, value], index) => [
            at,
            index === one.values.length - 1 ? write(value) : value,
          ]),
        }
      : one,
  );
}

/** Every way in which an answer was seen to be wrong, or could be, each on its own. */
export function brokenAnswers(good: GoodAnswer): readonly BrokenAnswer[] {
  return [
    ...inTheText(good),
    ...inTheResult(good),
    ...inTheSeries(good),
    ...inTheEnvelope(good),
    ...inTheConnection(),
    ...inTheStatus(),
  ];
}
