import { jsonBody } from '../../base/http/json-body.js';
import type { JsonObject } from '../../base/json.js';

/** One call of a controller to the cloud, as the provider compiled into it sends it (testbed/lab/go/labcloud). */
export interface SentCloudCall {
  readonly cluster: string;
  readonly node: string;
  /** Name of the calling program: `kube-controller-manager`, `cloud-controller-manager`, `kubelet`. */
  readonly component: string;
  /** Random, from the start of each process: distinguishes two processes with the same node and name. */
  readonly process: string;
  /** In the process's own PID namespace: 1 in a container. */
  readonly pid: number;
  readonly version: string;
  readonly op: string;
  readonly args: Readonly<Record<string, string>>;
  readonly sentMs: number;
}

/** A journal line: the call, its arrival and response times, and its outcome. */
export interface CloudJournalLine extends SentCloudCall {
  readonly index: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: 'done' | 'failed';
  /** Why it failed; empty on success. */
  readonly reason: string;
  /** Whether it changed the cloud's state. */
  readonly changed: boolean;
}

/**
 * A cloud fault. It applies to calls that match every given field, either a given number of times or until it is
 * cleared.
 */
export interface CloudFault {
  readonly cluster?: string;
  readonly node?: string;
  readonly component?: string;
  readonly op?: string;
  /** Delay before the effect. */
  readonly delayMs?: number;
  /** Responds with this error text, without effect. */
  readonly error?: string;
  readonly times?: number;
}

/** The call in a request's body, or null when it is not a call. */
export function readCall(text: string): SentCloudCall | null {
  const body = jsonBody(text);
  if (body === null) return null;
  const { pid, sentMs } = body;
  const args = readArgs(body['args']);
  if (typeof pid !== 'number' || typeof sentMs !== 'number' || args === null) return null;
  try {
    return {
      cluster: word(body, 'cluster'),
      node: word(body, 'node'),
      component: word(body, 'component'),
      process: word(body, 'process'),
      version: word(body, 'version'),
      op: word(body, 'op'),
      ...{ pid, sentMs, args },
    };
  } catch {
    return null;
  }
}

function word(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '' && value.length <= 253) return value;
  throw new Error(`${name} is not a string`);
}

function readArgs(value: unknown): Readonly<Record<string, string>> | null {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object') return null;
  const args: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string') return null;
    args[name] = text;
  }
  return args;
}
