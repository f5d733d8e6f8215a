import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { HostPort } from '../config/host-port.js';

export interface Health {
  /** `host:port` as it listens. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

type NotReady = () => readonly string[] | Promise<readonly string[]>;

/**
 * `/livez`: this process answers. `/readyz`: it also serves its queues; the body says what is missing. It reveals nothing
 * else, so it needs no credential.
 */
export async function serveHealth({ host, port }: HostPort, notReady: NotReady): Promise<Health> {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', notReady).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${body}\n`);
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { address: addressOf(server, host), close: () => closed(server) };
}

async function answer(
  url: string,
  notReady: NotReady,
): Promise<{ readonly status: number; readonly body: string }> {
  if (url === '/livez') return { status: 200, body: 'ok' };
  if (url !== '/readyz') return { status: 404, body: 'try /livez or /readyz' };
  const missing = await notReady();
  return missing.length === 0
    ? { status: 200, body: 'ok' }
    : { status: 503, body: missing.join('\n') };
}

function addressOf(server: Server, host: string): string {
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
