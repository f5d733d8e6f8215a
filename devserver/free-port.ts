import { createServer } from 'node:net';

/**
 * A TCP port that no process listens on now: `wanted` itself, or any when it is 0. Rejects when `wanted` is taken
 * (`address already in use`). Another process may still take it first: the caller must be ready to try another.
 */
export async function freePort(host: string, wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(wanted, host, () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error(`no free port on ${host}`));
      });
    });
  });
}
