import { Agent, request } from 'node:https';
import type { Identity } from '../../base/auth/certificates.js';
import { awaited } from '../host/awaited.js';

export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
}

const DEADLINE_MS = 10_000;
const ANSWER_LIMIT = 32 * 1024 * 1024;
const POLL_EVERY_MS = 200;

/** A minimal client with a client certificate, for the lab's own requests to a server of a cluster. */
export class ApiClient {
  private readonly server: URL;
  private readonly agent: Agent;
  private readonly deadlineMs: number;

  constructor(
    server: string,
    authorityPem: string,
    identity: Identity,
    deadlineMs: number = DEADLINE_MS,
  ) {
    this.server = new URL(server);
    this.deadlineMs = deadlineMs;
    this.agent = new Agent({
      ca: authorityPem,
      cert: identity.certificatePem,
      key: identity.privateKeyPem,
      keepAlive: true,
    });
  }

  /** Resolves with any response, including a refusal; rejects only when there is none. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<JsonResponse> {
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.server),
        { method, agent: this.agent, headers: { 'Content-Type': contentType } },
        (incoming) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          incoming.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > ANSWER_LIMIT) sent.destroy(new Error(`${path}: the response is too large`));
            chunks.push(chunk);
          });
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: incoming.statusCode ?? 0, body: jsonOrText(text) });
          });
        },
      );
      sent.setTimeout(this.deadlineMs, () =>
        sent.destroy(new Error(`${method} ${path}: no response`)),
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** As above, but a refusal is an error. */
  async must(method: string, path: string, body?: unknown, contentType?: string): Promise<unknown> {
    const answer = await this.send(method, path, body, contentType);
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  /** Creates an object; one that exists is left unchanged. */
  async ensure(path: string, object: unknown): Promise<void> {
    const answer = await this.send('POST', path, object);
    if (answer.status < 300 || answer.status === 409) return;
    throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  async mergePatch(path: string, patch: unknown): Promise<void> {
    await this.must('PATCH', path, patch, 'application/merge-patch+json');
  }

  /** Waits until a GET returns 200 and `isSo` holds; rejects when the time is up. */
  async until(
    path: string,
    withinMs: number,
    isSo: (body: unknown) => boolean = () => true,
  ): Promise<unknown> {
    const snapshot = async (): Promise<{ readonly body: unknown }> => {
      const { status, body } = await this.send('GET', path);
      if (status === 200 && isSo(body)) return { body };
      throw new Error(`status ${status}`);
    };
    const patience = { withinMs, everyMs: POLL_EVERY_MS };
    return (await awaited(`GET ${path} has the expected state`, snapshot, patience)).body;
  }

  close(): void {
    this.agent.destroy();
  }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
