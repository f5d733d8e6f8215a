import { failure, failureDetailsOf } from '../failures.js';
import type { CallOptions } from '../ports.js';
import type { HttpAnswer, HttpClient, HttpRequest } from './http.js';
import { pathSegment } from './object-paths.js';

/** Requests of docs/contracts/node-access-api.md that change nothing. */
export function reading(
  what: string,
  node: string,
  part: string,
  query: NonNullable<HttpRequest['query']>,
): HttpRequest {
  return { what, method: 'GET', path: nodePath(node, part), query, safe: true };
}

export function nodePath(node: string, part: string): string {
  return `/v2/nodes/${pathSegment(node)}/${part}`;
}

/** A 404 about the node itself proves nothing about its files or processes: it is `Unreachable`. */
export async function sendTo(
  http: HttpClient,
  node: string,
  request: HttpRequest,
  options?: CallOptions,
): Promise<HttpAnswer> {
  try {
    return await http.send(request, options);
  } catch (error) {
    const { status, kind } = failureDetailsOf(error);
    if (status !== 404 || kind !== 'nodes') throw error;
    throw failure('Unreachable', `${request.what}: node ${node} is unknown`, {
      details: { status },
    });
  }
}
