import { ServiceError } from '@temporalio/client';
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

function isRefused(error: unknown): boolean {
  return REFUSED.includes(grpcCode(error));
}

/** gRPC: INVALID_ARGUMENT, NOT_FOUND, UNIMPLEMENTED, and what is refused. The same request has the same answer again. */
const LASTING: readonly unknown[] = [3, 5, 12, ...REFUSED];

/** Whether the server may answer the same request once it is there again, or less busy. */
export function mayHeal(error: unknown): boolean {
  const code = grpcCode(error);
  return code === null ? error instanceof ServiceError : !LASTING.includes(code);
}

/** The client wraps the error of gRPC, which alone carries its code. Null without one. */
function grpcCode(error: unknown): number | null {
  let cause: unknown = error;
  for (let depth = 0; depth < MOST_CAUSES; depth += 1) {
    if (typeof cause !== 'object' || cause === null) return null;
    if ('code' in cause && typeof cause.code === 'number') return cause.code;
    cause = 'cause' in cause ? cause.cause : null;
  }
  return null;
}

/** In words: Temporal's own errors say what failed, and their causes why. */
export function reasonIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
