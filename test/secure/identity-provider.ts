import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What Temporal's claim mapper reads of a token: `NAMESPACE:read`, `:write`, `:worker` or `:admin`. */
export interface Claims {
  readonly sub: string;
  readonly permissions: readonly string[];
  /** Seconds from now. */
  readonly expiresIn?: number;
}

export interface IdentityProvider {
  /** Where it publishes its keys (JWKS). */
  readonly url: string;
  token(claims: Claims): string;
  close(): Promise<void>;
}

/** Signs tokens as an organisation's identity provider does, and publishes its keys for the Temporal server. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = 'key-1';
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }];
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/jwks.json`,
    token: ({ sub, permissions, expiresIn = 3600 }) => {
      const nowS = Math.floor(Date.now() / 1000);
      const parts = [
        { alg: 'RS256', typ: 'JWT', kid },
        { sub, permissions, iat: nowS, exp: nowS + expiresIn },
      ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const signature = sign('sha256', Buffer.from(parts.join('.')), privateKey);
      return [...parts, signature.toString('base64url')].join('.');
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
