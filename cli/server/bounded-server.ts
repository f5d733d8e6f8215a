import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { HostPort } from '../../config/host-port.js';

/** Where a server of ours listens. */
export interface ServerPlace extends HostPort {
  /** PEM; null only on this machine. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
}

export interface BoundedServer {
  /** `host:port` as it listens. */
  readonly address: string;
  /** Takes no more requests, and lets those in progress end. */
  readonly close: () => Promise<void>;
}

const HEADERS_WITHIN_MS = 5_000;
const REQUEST_WITHIN_MS = 10_000;

/** Serves requests that end within seconds; slower ones, and endless headers, are cut off. */
export async function serveBounded(
  { host, port, tls }: ServerPlace,
  handle: RequestListener,
): Promise<BoundedServer> {
  const limits = {
    ...{ headersTimeout: HEADERS_WITHIN_MS, requestTimeout: REQUEST_WITHIN_MS },
    ...{ connectionsCheckingInterval: 1_000, maxHeaderSize: 16 * 1024 },
  };
  const server =
    tls === null
      ? createServer(limits, handle)
      : createTlsServer({ ...limits, ...tls, minVersion: 'TLSv1.2' }, handle);
  server.listen(port, host);
  await once(server, 'listening');
  return { address: addressOf(server, host), close: async () => closed(server) };
}

function addressOf(server: Server, host: string): string {
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

async function closed(server: Server): Promise<void> {
  const end = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const late = setTimeout(() => {
    server.closeAllConnections();
  }, REQUEST_WITHIN_MS);
  await end;
  clearTimeout(late);
}
