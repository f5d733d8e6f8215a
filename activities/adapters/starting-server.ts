import { failure, failureTypeOf } from '../failures.js';
import type { CallOptions } from '../ports.js';
import type { HttpAnswer, HttpClient, HttpRequest } from './http.js';

/** The endpoint load balancers check: it answers 200 once every post-start hook is done, including RBAC's. */
const READY = {
  what: 'get /readyz',
  method: 'GET',
  path: '/readyz',
  safe: true,
  answer: 'text',
} as const;

/**
 * An API server that has just started answers 403 to all but `system:masters` until it has read its roles (measured on
 * 1.30.14; post-start hook `rbac/bootstrap-roles`). So a 403 counts only if a ready server repeats it; from one that is not
 * ready it is `Unavailable`. `/readyz` itself may be forbidden; then the same applies.
 */
export function heedingItsStart(http: HttpClient): HttpClient {
  const send = async (request: HttpRequest, options?: CallOptions): Promise<HttpAnswer> => {
    try {
      return await http.send(request, options);
    } catch (error) {
      if (failureTypeOf(error) !== 'Forbidden') throw error;
      await requireReady(http, request, options);
      return http.send(request, options);
    }
  };
  return { ...http, send };
}

async function requireReady(
  http: HttpClient,
  { what }: HttpRequest,
  options?: CallOptions,
): Promise<void> {
  try {
    await http.send(READY, options);
  } catch (error) {
    if (failureTypeOf(error) === null || !(error instanceof Error)) throw error;
    throw failure(
      'Unavailable',
      `${what}: answered 403, and the API server is not ready: ${error.message}`,
    );
  }
}
