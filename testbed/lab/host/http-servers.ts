import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';

/** An address of the host, or a socket in one of the lab's folders. */
export type Place = { readonly host: string; readonly port: number } | { readonly path: string };

/** Resolves when it listens. @throws Error of the system, such as EADDRINUSE. */
export async function startServer(server: Server, place: Place): Promise<void> {
  server.listen(place);
  await once(server, 'listening');
}

/** Closes it with every connection; a no-op when it does not listen. */
export async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}

/** A no-op when a response was begun already. */
export function sendJson(outgoing: ServerResponse, status: number, body: object): void {
  if (outgoing.headersSent) return;
  outgoing.writeHead(status, { 'Content-Type': 'application/json' });
  outgoing.end(JSON.stringify(body));
}
