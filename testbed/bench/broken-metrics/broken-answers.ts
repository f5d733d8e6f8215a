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
}

/** The one process of the cluster. */
export const SCRAPED_TARGET = { job: 'kube-controller-manager', instance: '10.0.0.1:10257' };
const STALE_MS = 10 * 60_000;

interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** An hour before the answer. */
export function processStartMs({ nowMs }: GoodAnswer): number {
  return nowMs - 3_600_000;
}

const TIMES = ['totalFirst', 'totalLast', 'pickedFirst', 'pickedLast'];

/** What Prometheus has of a healthy process, for the query of counts: none of 20 events was bad when it was scraped just now. */
export function goodResult(good: GoodAnswer): readonly Result[] {
  const part = (name: string, value: string): Result => ({
    metric: { ...SCRAPED_TARGET, cluster: 'prod-1', ccm_migrate_part: name },
    value: [good.nowMs / 1000, value],
  });
  return [
    part('total', '20'),
    part('picked', '0'),
    part('started', String(processStartMs(good) / 1000)),
    ...TIMES.map((name) => part(name, String(good.nowMs / 1000))),
  ];
}

/** The answer that carries a result, as Prometheus writes it. */
export function vectorAnswer(result: readonly unknown[], more: object = {}): object {
  return { status: 'success', data: { resultType: 'vector', result }, ...more };
}

type Answer = BrokenAnswer['answer'];

const body =
  (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(text);
  };

const vector = (result: readonly unknown[], more?: object): Answer =>
  json(vectorAnswer(result, more));

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
  const text = JSON.stringify(vectorAnswer(result));
  const values = (write: (value: string) => string): Answer =>
    vector(withPart(result, 'total', write));
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
  const without = (...parts: readonly string[]): Answer =>
    vector(result.filter((each) => !parts.includes(partOf(each))));
  const moved = (ms: number, parts = TIMES): Answer =>
    vector(
      result.map((each) =>
        parts.includes(partOf(each)) ? withValue(each, (good.nowMs + ms) / 1000) : each,
      ),
    );
  return [
    { name: 'empty', answer: vector([]), reason: /no series of / },
    { name: 'no denominator', answer: without('total'), reason: /no series of / },
    {
      name: 'no bad events where nothing tells',
      answer: without('picked'),
      reason: /nothing tells/,
    },
    { name: 'no process', answer: without('started'), reason: /process_start_time_seconds/ },
    { name: 'no time', answer: without('totalFirst'), reason: /of several scrapes/ },
    { name: 'stale', answer: moved(-STALE_MS), reason: /ms old/ },
    { name: 'from the future', answer: moved(STALE_MS), reason: /in the future/ },
    {
      name: 'one series stale',
      answer: moved(-STALE_MS, ['pickedFirst']),
      reason: /several scrapes/,
    },
    {
      name: 'a process from the future',
      answer: moved(STALE_MS, ['started']),
      reason: /started after/,
    },
  ];
}

function inTheLabels(good: GoodAnswer): readonly BrokenAnswer[] {
  const relabelled = (change: (metric: Result['metric']) => object): Answer =>
    vector(goodResult(good).map(({ metric, value }) => ({ metric: change(metric), value })));
  return [
    {
      name: 'relabelled: no instance',
      answer: relabelled(({ instance: _instance, ...metric }) => metric),
      reason: /whose is it/,
    },
    {
      name: 'relabelled: another name',
      answer: relabelled((metric) =>
        metric['ccm_migrate_part'] === 'total' ? { ...metric, ccm_migrate_part: 'other' } : metric,
      ),
      reason: /no series of /,
    },
    {
      name: 'relabelled: another cluster',
      answer: relabelled((metric) => ({ ...metric, cluster: 'prod-2' })),
      reason: /no series of /,
    },
  ];
}

function inTheSeries(good: GoodAnswer): readonly BrokenAnswer[] {
  const result = goodResult(good);
  const [total] = result;
  const matrix = result.map(({ metric, value }) => ({ metric, values: [value, value] }));
  return [
    {
      name: 'several series where one was meant',
      answer: vector([...result, { ...total, metric: { ...total?.metric, replica: 'b' } }]),
      reason: /counts no events/,
    },
    { name: 'one series twice', answer: vector([...result, total]), reason: /one series twice/ },
    {
      name: 'more bad events than events',
      answer: vector(withPart(result, 'picked', () => '21')),
      reason: /contradict/,
    },
    {
      name: 'scrapes',
      answer: json({
        status: 'success',
        data: {
          resultType: 'matrix',
          result: result.map(({ metric, value }) => ({ metric, values: [value] })),
        },
      }),
      reason: /scrapes where counts were asked for/,
    },
    {
      name: 'out of order',
      answer: json({ status: 'success', data: { resultType: 'matrix', result: matrix } }),
      reason: /not in the order of time/,
    },
    { name: 'no labels', answer: vector([{ value: [] }]), reason: /has no metric/ },
    {
      name: 'a native histogram',
      answer: vector([{ metric: {}, histogram: [] }]),
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
      answer: vector(result, { warnings: ['store-2: connection refused'] }),
      reason: /may be partial \("store-2: connection refused"\)/,
    },
    {
      name: 'an answer marked as partial',
      answer: vector(result, { isPartial: true }),
      reason: /may be partial/,
    },
    {
      name: '200 with error',
      answer: json({ ...vectorAnswer(result), status: 'error', error: 'query timed out' }),
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

function partOf({ metric }: Result): string {
  return metric['ccm_migrate_part'] ?? '';
}

function withValue({ metric, value: [at] }: Result, value: number | string): Result {
  return { metric, value: [at, String(value)] };
}

/** The result with another value of one part. */
function withPart(
  result: readonly Result[],
  part: string,
  write: (value: string) => string,
): readonly Result[] {
  return result.map((each) =>
    partOf(each) === part ? withValue(each, write(each.value[1])) : each,
  );
}

/** Every way in which an answer was seen to be wrong, or could be, each on its own. */
export function brokenAnswers(good: GoodAnswer): readonly BrokenAnswer[] {
  return [
    ...inTheText(good),
    ...inTheResult(good),
    ...inTheLabels(good),
    ...inTheSeries(good),
    ...inTheEnvelope(good),
    ...inTheConnection(),
    ...inTheStatus(),
  ];
}
