import type { Client } from '@temporalio/client';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostPort } from '../../config/host-port.js';
import { HOOK_FORMATS, type HookFormat } from '../../config/automation/hook-payloads.js';
import { type AutomationToken, isLive } from '../../domain/automation/automation-token.js';
import { type Allowance, takeOne } from '../../domain/automation/rate.js';
import { type AlertResult, type HookWork, answerHook } from './answer-hook.js';
import { type HookMetrics, hookMetrics } from './hook-metrics.js';
import { type BoundedServer, serveBounded, type ServerPlace } from './bounded-server.js';
import { discardRest, readJsonBody } from './read-body.js';
import { within } from './within.js';
import { type TokenFile, authenticate } from './token-file.js';

export interface HookServerParts extends HookWork {
  readonly tokenFile: TokenFile;
  /** Asks whether Temporal answers. One that tries again would do so after the connection has ended with the server. */
  readonly single: Client;
  readonly tls: ServerPlace['tls'];
  readonly log: (level: 'info' | 'warn', fields: Readonly<Record<string, unknown>>) => void;
  /** Of the events that the same process sends: empty where it sends none. */
  readonly eventMetrics: () => string;
}

const HOOK_BOUND = {
  bytes: 1024 * 1024,
  problem: 'larger than 1 MiB: let the sender bound its alerts (max_alerts)',
};

interface Serving extends HookServerParts {
  readonly metrics: HookMetrics;
  readonly strangers: { allowance: Allowance | null };
  readonly readiness: { atMs: number; ready: Promise<boolean> | null };
}

/** Serves the hooks, and what a monitor asks, at one address. */
export async function serveHooks(
  { host, port }: HostPort,
  parts: HookServerParts,
): Promise<BoundedServer> {
  const serving: Serving = {
    ...{ ...parts, metrics: hookMetrics() },
    ...{ strangers: { allowance: null }, readiness: { atMs: -Infinity, ready: null } },
  };
  return serveBounded({ host, port, tls: parts.tls }, (request, response) => {
    void answer(serving, request, response);
  });
}

async function answer(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const said = await route(serving, request);
    if (said !== null) reply(request, response, said);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    serving.log('warn', { message: 'a request failed', detail });
    reply(request, response, unavailable('something unexpected happened'));
  }
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const text = (status: number, words: string): Reply => ({ status, body: `${words}\n` });

function unavailable(words: string): Reply {
  return { ...text(503, words), headers: { 'retry-after': '5' } };
}

function reply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers }: Reply,
): void {
  const rest = request.complete ? {} : { connection: 'close' };
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers, ...rest }).end(body);
  if (!request.complete) discardRest(request);
}

/** Null where its sender is gone. */
async function route(serving: Serving, request: IncomingMessage): Promise<Reply | null> {
  const path = new URL(request.url ?? '/', 'http://server').pathname;
  const format = HOOK_FORMATS.find((known) => path === `/v1/hooks/${known}`);
  if (format !== undefined) {
    if (request.method === 'POST') return hook(serving, request, format);
    return { ...text(405, 'send it by POST'), headers: { allow: 'POST' } };
  }
  if (path === '/livez') return text(200, 'ok');
  if (path === '/readyz') return readyz(serving);
  return path === '/metrics' ? metricsPage(serving) : text(404, PATHS);
}

const PATHS = `try POST /v1/hooks/{${HOOK_FORMATS.join()}}, /livez, /readyz or /metrics`;

async function metricsPage({ metrics, tokenFile, clock, eventMetrics }: Serving): Promise<Reply> {
  const tokens = await tokenFile.now();
  const gauges = {
    tokensLive: tokens.filter((token) => isLive(token, clock())).length,
    tokenFileValid: tokenFile.problem() === null,
  };
  return {
    ...{ status: 200, body: metrics.text(gauges) + eventMetrics() },
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
  };
}

const READY_WITHIN_MS = 800;
/** A caller that asks more often gets the same answer, and Temporal one question. */
const READY_KEPT_MS = 1_000;

async function readyz({ single, clock, readiness }: Serving): Promise<Reply> {
  const nowMs = clock();
  if (readiness.ready === null || nowMs - readiness.atMs > READY_KEPT_MS) {
    readiness.atMs = nowMs;
    const asked = within(single, READY_WITHIN_MS, async () =>
      single.workflowService.getSystemInfo({}),
    );
    readiness.ready = asked.then((answer) => answer !== null);
  }
  const isReady = await readiness.ready;
  return isReady ? text(200, 'ok') : unavailable('Temporal does not answer');
}

/** Who calls is known before anything of the body is read. */
async function hook(
  serving: Serving,
  request: IncomingMessage,
  format: HookFormat,
): Promise<Reply | null> {
  const { tokenFile, clock, metrics } = serving;
  const tokens = await tokenFile.now();
  const who = authenticate(request.headers.authorization, tokens, clock());
  if (who.kind === 'refused') {
    metrics.unauthorized(who.reason);
    const said = stranger(serving, who.reason);
    metrics.answered(format, said.status);
    return said;
  }
  const body = await readJsonBody(request, HOOK_BOUND);
  if (body.kind === 'gone') return null;
  if (body.kind === 'refused') {
    metrics.answered(format, body.status);
    serving.log('warn', { hook: format, token: who.token.name, refused: body.problem });
    return text(body.status, body.problem);
  }
  return answered(serving, { format, token: who.token, body: body.text });
}

/** Enough for a sender with a wrong token to be told so; a flood is not worth a line of the log each. */
const STRANGERS = { burst: 30, perMinute: 60 };

function stranger(serving: Serving, reason: string): Reply {
  const { strangers, clock, log } = serving;
  const { taken, after } = takeOne(STRANGERS, strangers.allowance, clock());
  strangers.allowance = after;
  if (!taken) return unavailable('too many requests without a token');
  log('warn', { message: 'a caller was refused', reason });
  return {
    ...text(401, `send Authorization: Bearer TOKEN; this one is ${reason}`),
    headers: { 'www-authenticate': 'Bearer' },
  };
}

interface Call {
  readonly format: HookFormat;
  readonly token: AutomationToken;
  readonly body: string;
}

async function answered(serving: Serving, { format, token, body }: Call): Promise<Reply> {
  const { metrics, log } = serving;
  const { status, problem, results } = await answerHook(serving, token, format, body);
  metrics.answered(format, status);
  if (problem !== '') {
    log('warn', { hook: format, token: token.name, status, refused: problem });
    return text(status, problem);
  }
  for (const result of results) noteResult(serving, { hook: format, token: token.name }, result);
  return {
    ...{ status, body: `${JSON.stringify({ results })}\n` },
    headers: {
      'content-type': 'application/json',
      ...(status === 503 ? { 'retry-after': '5' } : {}),
    },
  };
}

const GOOD: readonly string[] = ['sent', 'known', 'noted', 'over'];

function noteResult(
  { metrics, log }: Serving,
  call: { readonly hook: HookFormat; readonly token: string },
  result: AlertResult,
): void {
  metrics.alert(result.outcome);
  if (result.outcome === 'forbidden') metrics.forbidden();
  log(GOOD.includes(result.outcome) ? 'info' : 'warn', { ...call, ...result });
}
