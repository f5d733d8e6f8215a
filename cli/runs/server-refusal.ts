import { NamespaceNotFoundError } from '@temporalio/common';
import { CliError } from '../cli-error.js';

/** gRPC: PERMISSION_DENIED and UNAUTHENTICATED. */
const REFUSED: readonly unknown[] = [7, 16];
const MOST_CAUSES = 10;

/** The server of a command, as far as it names what it refuses. */
export interface RefusingServer {
  readonly address: string;
  readonly namespace: string;
  /** Which setting named the namespace. */
  readonly namespaceSource: string;
}

/** What the server refused, in words: its authorizer, or because it has no such namespace. Any other error as it is. */
export function namedRefusal(
  error: unknown,
  { address, namespace, namespaceSource }: RefusingServer,
): unknown {
  if (error instanceof NamespaceNotFoundError) {
    const what = `the Temporal server at ${address} has no namespace ${namespace}`;
    return new CliError('CCM4020', `${what} (it came from ${namespaceSource})`, {
      exitStatus: 'failed',
      fix: 'Name the namespace of your workers with --namespace, or with TEMPORAL_NAMESPACE; that of `dev` and `demo` is `default`.',
    });
  }
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
