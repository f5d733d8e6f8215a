import { redact, withoutKnown } from '../../../domain/redaction.js';
import { oneLine } from '../../../domain/findings/plain-text.js';
import type { FailureType } from '../../../domain/failures.js';
import { failure } from '../../failures.js';
import type { MetricAnswer, MetricQuery, MetricSource } from '../../ports.js';
import { withDeadline } from '../deadline.js';
import { DEFAULT_TIMEOUT_MS, jsonObject } from '../http/http.js';
import {
  type MetricReply,
  type MetricTransport,
  type PrometheusAddress,
  createMetricTransport,
} from './metric-transport.js';
import { readQueryData } from './query-data.js';

export interface PrometheusSource extends MetricSource {
  /** Ends its connections once running queries are done. */
  close(): Promise<void>;
}

/**
 * Queries a server with the HTTP API of Prometheus. An answer is whole or a failure that names the host, what happened and
 * what to do: `status: error`, a warning (Prometheus, Thanos and Mimir warn of a partial answer by words alone), an answer
 * that is marked as partial, or one that is not strictly what the API defines.
 * Source: https://prometheus.io/docs/prometheus/latest/querying/api/
 */
export function createPrometheusSource(address: PrometheusAddress): PrometheusSource {
  const transport = createMetricTransport(address);
  return {
    query: (query, { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = {}) =>
      withDeadline(timeoutMs, signal, async (deadline) => {
        const { path, form } = requestOf(query, timeoutMs);
        const reply = await transport.post(path, form, deadline);
        return answerOf(transport, reply, query);
      }),
    close: () => transport.close(),
  };
}

function requestOf(
  { promql, over }: MetricQuery,
  timeoutMs: number,
): { readonly path: string; readonly form: URLSearchParams } {
  const form = new URLSearchParams({
    query: promql,
    timeout: `${Math.max(1, Math.ceil(timeoutMs))}ms`,
    // Thanos and VictoriaMetrics otherwise leave out what does not answer them; Prometheus ignores both.
    partial_response: 'false',
    deny_partial_response: '1',
  });
  if (over === undefined) return { path: '/api/v1/query', form };
  form.set('start', seconds(over.startMs));
  form.set('end', seconds(over.endMs));
  form.set('step', seconds(over.stepMs));
  return { path: '/api/v1/query_range', form };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function answerOf(
  { what, secrets }: MetricTransport,
  { status, contentType, text, serverTimeMs, retryAfterMs }: MetricReply,
  { over }: MetricQuery,
): MetricAnswer {
  const said = (words: unknown): string => quoted(words, secrets());
  if (status !== 200) {
    const { type, fix } = meaningOf(status);
    const reason = said(errorIn(contentType, text));
    throw failure(type, `${what}: answered ${status}${reason}. ${fix}`, {
      details: { status },
      ...(retryAfterMs === null ? {} : { nextRetryDelayMs: retryAfterMs }),
    });
  }
  const envelope = jsonObject(what, contentType, text);
  if (envelope['status'] !== 'success') {
    const reason = said(envelope['error']);
    throw failure('Unavailable', `${what}: answered 200, and status is not success${reason}`);
  }
  const warnings = texts(envelope['warnings']);
  if (envelope['isPartial'] === true || warnings.length > 0) {
    throw failure(
      'Unavailable',
      `${what}: the answer may be partial${said(warnings.join('; '))}. See which of its stores does not answer`,
    );
  }
  const data = readQueryData(envelope['data'], over === undefined ? 'instant' : 'range');
  if (data.kind === 'refused') throw failure('Unavailable', `${what}: ${data.why}`);
  const infos = texts(envelope['infos']).map((info) => oneLine(redact(info)).slice(0, MOST_SAID));
  return { kind: data.kind, series: data.series, infos, serverTimeMs };
}

interface Meaning {
  readonly type: FailureType;
  readonly fix: string;
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  400: { type: 'InvalidInput', fix: 'Correct the query.' },
  401: { type: 'Unauthorized', fix: 'Renew the token in tokenFile.' },
  403: { type: 'Forbidden', fix: "Grant the token's user to query this server." },
  404: { type: 'NotSupported', fix: 'Give the address below which /api/v1/query is.' },
  405: { type: 'NotSupported', fix: 'It must accept POST: see the proxy in front of it.' },
  422: { type: 'InvalidInput', fix: 'The query cannot be executed: ask for less, or correct it.' },
  429: { type: 'Throttled', fix: 'Its limit of queries is reached.' },
  503: { type: 'Unavailable', fix: 'The query took too long there, or the server is starting.' },
};

function meaningOf(status: number): Meaning {
  if (status >= 300 && status < 400) {
    return { type: 'NotSupported', fix: 'Redirects are not followed: give the final address.' };
  }
  const other = { type: 'Unavailable', fix: 'Read the log of that server.' } as const;
  return MEANINGS[status] ?? other;
}

/** Words of the API's error; any other body is a page of a proxy, which explains nothing. */
function errorIn(contentType: string, text: string): unknown {
  try {
    return jsonObject('', contentType, text)['error'];
  } catch {
    return '';
  }
}

const MOST_SAID = 200;
const MOST_TEXTS = 20;

function texts(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.slice(0, MOST_TEXTS).map((each) => (typeof each === 'string' ? each : 'not a text'));
}

function quoted(words: unknown, secrets: readonly string[]): string {
  if (typeof words !== 'string' || words === '') return '';
  const known = withoutKnown(words, secrets);
  return ` ("${redact(oneLine(known.slice(0, 8 * MOST_SAID))).slice(0, MOST_SAID)}")`;
}
