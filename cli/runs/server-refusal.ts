import { CliError } from '../cli-error.js';

/** gRPC: PERMISSION_DENIED and UNAUTHENTICATED. */
const REFUSED: readonly unknown[] = [7, 16];
const MOST_CAUSES = 10;

/** What the server's authorizer refused, in words; any other error as it is. */
export function namedRefusal(error: unknown, address: string): unknown {
  if (!isRefused(error)) return error;
  return new CliError('CCM4037', `the Temporal server at ${address} refuses this request`, {
    exitStatus: 'refused',
  });
}

/** The client wraps the error of gRPC, which alone carries its code. */
function isRefused(error: unknown): boolean {
  let cause: unknown = error;
  for (let depth = 0; depth < MOST_CAUSES; depth += 1) {
    if (typeof cause !== 'object' || cause === null) return false;
    if ('code' in cause && REFUSED.includes(cause.code)) return true;
    cause = 'cause' in cause ? cause.cause : null;
  }
  return false;
}

/** In words: Temporal's own errors say what failed, and their causes why. */
export function reasonIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
