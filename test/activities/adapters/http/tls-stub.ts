import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { ReachableCluster } from '../../../../activities/adapters/connect.js';
import {
  createAuthority,
  type CertificateAuthority,
  type ServerOptions,
} from '../../../../testbed/base/auth/certificates.js';

export const TOKEN = 'canary-token-7f3a';

export interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly clientName: string | null;
}

export type Answer = (seen: SeenRequest, response: ServerResponse) => void;

/** A real HTTPS server on a free port whose responses the test decides, request by request. */
export interface TlsStub {
  readonly base: string;
  readonly authority: CertificateAuthority;
  readonly seen: SeenRequest[];
  /** Replaces its certificate for new connections; closes the existing ones. */
  renew(options: ServerOptions): void;
  /** Cuts all connections. */
  cut(): void;
  /** TLS connections so far. */
  connections(): number;
  /** Responds in this order; the last one is repeated. */
  answers(...answers: readonly Answer[]): void;
  /** Inventory entry with a kubeconfig on disk; `change` edits the kubeconfig's text. */
  cluster(change?: (kubeconfig: string) => string): Promise<ReachableCluster>;
  close(): Promise<void>;
}

let clusters = 0;

export async function startTlsStub(options: ServerOptions = {}): Promise<TlsStub> {
  const authority = createAuthority('stub');
  const hosts = ['127.0.0.1', 'localhost'];
  // Kept when the certificate changes, as real servers do: earlier sessions can be resumed.
  const ticketKeys = randomBytes(48);
  const secure = (own: ServerOptions): SecureContextOptions & TlsOptions => {
    const { certificatePem, privateKeyPem } = authority.issueServer(hosts, own);
    // As API servers do, it prefers HTTP/2, which it cannot speak: clients that offered it would fail.
    const ALPNProtocols = ['h2', 'http/1.1'];
    const ca = authority.certificatePem;
    return { key: privateKeyPem, cert: certificatePem, ca, ticketKeys, ALPNProtocols };
  };
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-stub-'));
  const seen: SeenRequest[] = [];
  let queue: Answer[] = [];
  let connections = 0;
  const server = createServer(
    {
      ...secure(options),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      void read(request).then((one) => {
        seen.push(one);
        const [next] = queue;
        if (queue.length > 1) queue = queue.slice(1);
        (next ?? json(500, { kind: 'Status', message: 'no answer given' }))(one, response);
      });
    },
  );
  server.on('secureConnection', () => {
    connections += 1;
  });
  const port = await listen(server);
  const base = `https://127.0.0.1:${String(port)}`;
  return {
    base,
    authority,
    seen,
    renew: (renewed) => {
      server.setSecureContext(secure(renewed));
      server.closeAllConnections();
    },
    cut: () => {
      server.closeAllConnections();
    },
    connections: () => connections,
    answers: (...answers) => {
      queue = [...answers];
    },
    cluster: async (change = (text) => text) => {
      clusters += 1;
      const name = `stub-${String(clusters)}`;
      const kubeconfig = join(folder, `${name}.yaml`);
      await writeFile(kubeconfig, change(kubeconfigText(base, authority.certificatePem)));
      return {
        name,
        kubeconfig,
        nodeAccess: { kind: 'http', url: `${base}/node-access` },
        machinesApi: { url: `${base}/machines-api` },
        allow: { exec: false, fileReferences: false },
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

export function kubeconfigText(server: string, ca: string, user = `token: ${TOKEN}`): string {
  return `apiVersion: v1
kind: Config
current-context: main
contexts:
  - name: main
    context: { cluster: one, user: us }
clusters:
  - name: one
    cluster:
      server: ${server}
      certificate-authority-data: ${base64(ca)}
users:
  - name: us
    user:
      ${user}
`;
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_seen, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (_seen, response) => {
    response.writeHead(status, { 'content-type': 'text/plain', ...headers });
    response.end(body);
  };
}

export function status(code: number, reason: string, message: string = reason, extra = {}): Answer {
  return json(code, {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code,
    reason,
    message,
    ...extra,
  });
}

export const reset: Answer = (_seen, response) => {
  response.socket?.destroy();
};

export const hang: Answer = () => undefined;

/** Promises more than it sends. */
export const truncated: Answer = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"kind":"Lease","metadata":{"name":"x"');
  setImmediate(() => response.socket?.destroy());
};

/** Cut off, yet a complete HTTP response. */
export const cutJson: Answer = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"kind":"Lease","metadata":{"name":"x"');
};

/** The error of an attempt. */
export async function failureOf(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => {
      throw new Error('did not fail');
    },
    (error: unknown) => error,
  );
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? '',
    url: new URL(request.url ?? '/', 'https://stub'),
    headers: request.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    clientName: clientName(request.socket),
  };
}

/** CN of the client's certificate; null without one. */
function clientName(socket: unknown): string | null {
  if (!(socket instanceof TLSSocket)) return null;
  // Node returns {} where there is no certificate, whatever its types say.
  const { subject } = socket.getPeerCertificate() as { subject?: { CN?: string } };
  return subject?.CN ?? null;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
