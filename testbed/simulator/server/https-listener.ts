import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { TLSSocket } from 'node:tls';
import { NOT_SERVED, statusAnswer } from '../../base/http/answers.js';
import type { JsonAnswer, ClusterRequest } from '../../base/http/request.js';
import type { CertificateAuthority } from '../../base/auth/certificates.js';
import type { Shown } from '../../base/auth/credentials.js';
import { answerControl, CONTROL } from '../control/control-api.js';
import { NODE_ACCESS_BODY_LIMIT } from '../node-access/node-access-api.js';
import type { ClusterFront } from './cluster-front.js';
import { BODY_LIMIT, readBody, send, TOO_LARGE_ANSWER } from '../../base/http/exchange.js';
import { serveRequest } from './serve-request.js';

const UNAUTHORIZED = statusAnswer(401, 'Unauthorized', 'Unauthorized');
const BASE = /^\/clusters\/([^/?]+)(\/[^?]*)?$/;

export interface ListenerOptions {
  readonly authority: CertificateAuthority;
  readonly fronts: ReadonlyMap<string, ClusterFront>;
  readonly speed: number;
}

/** An HTTPS server for all clusters of the process, each below `/clusters/<id>`. */
export function createListener(options: ListenerOptions): Server {
  const { authority } = options;
  const own = authority.issueServer(['localhost', '127.0.0.1']);
  const server = createServer(
    {
      cert: own.certificatePem,
      key: own.privateKeyPem,
      ca: authority.certificatePem,
      requestCert: true,
      // A client without a certificate may still present a token; one without either gets a 401, not a failed
      // handshake.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      keepAliveTimeout: 60_000,
    },
    (incoming, outgoing) => {
      receive(options, incoming, outgoing).catch((error: unknown) => {
        fail(outgoing, error);
      });
    },
  );
  // Watches and parked requests stay open for as long as they need.
  server.requestTimeout = 0;
  return server;
}

async function receive(
  { fronts, speed }: ListenerOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'https://simulator.invalid');
  const [, id = '', path = '/'] = BASE.exec(url.pathname) ?? [];
  const front = fronts.get(id);
  if (front === undefined) {
    send(outgoing, NOT_SERVED, Date.now());
    return;
  }
  const nowMs = front.cluster.clock.nowMs();
  const read = await readRequest(front, incoming, path, url.searchParams);
  if (read.kind === 'refused') {
    // The rest of the body is not read, so the connection cannot be reused.
    outgoing.setHeader('Connection', 'close');
    send(outgoing, read.answer, nowMs);
  } else if (path.startsWith(`${CONTROL}/`)) {
    send(outgoing, answerControl({ ...partsOf(front), speed }, read.request), nowMs);
  } else {
    await serveRequest(front, read.request, outgoing);
  }
}

type ReadRequest =
  | { readonly kind: 'read'; readonly request: ClusterRequest }
  | { readonly kind: 'refused'; readonly answer: JsonAnswer };

async function readRequest(
  front: ClusterFront,
  incoming: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<ReadRequest> {
  const requester = front.credentials.authenticate(shownBy(incoming));
  if (requester === null) return { kind: 'refused', answer: UNAUTHORIZED };
  const limit = path.startsWith('/node-access/') ? NODE_ACCESS_BODY_LIMIT : BODY_LIMIT;
  const body = await readBody(incoming, limit);
  if (body === null) return { kind: 'refused', answer: TOO_LARGE_ANSWER };
  const {
    'content-type': contentType = '',
    'user-agent': userAgent = '',
    accept = '',
  } = incoming.headers;
  const method = incoming.method ?? 'GET';
  return {
    kind: 'read',
    request: { method, path, query, contentType, accept, userAgent, body, requester },
  };
}

function partsOf({
  cluster,
  journal,
  faults,
  parking,
}: ClusterFront): Pick<ClusterFront, 'cluster' | 'journal' | 'faults' | 'parking'> {
  return { cluster, journal, faults, parking };
}

function shownBy(incoming: IncomingMessage): Shown {
  const { socket } = incoming;
  const isKnown = socket instanceof TLSSocket && socket.authorized;
  return {
    authorization: incoming.headers.authorization ?? '',
    certificate: isKnown ? socket.getPeerCertificate() : null,
  };
}

/** A defect of the simulator itself must be reported, and not appear as a hanging client. */
function fail(outgoing: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`simulator: a request failed: ${message}\n`);
  if (outgoing.headersSent) outgoing.destroy();
  else send(outgoing, statusAnswer(500, 'InternalError', message), Date.now());
}
