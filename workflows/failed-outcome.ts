import { ApplicationFailure } from '@temporalio/common';
import type { ClusterOutcome } from './cluster-run.js';

/**
 * The outcome that a failed or refused run carries, from the error that waiting for its result threw; null
 * when it ended in another way (terminated, timed out) and carries no outcome.
 */
export function outcomeOfFailure(error: unknown): ClusterOutcome | null {
  const cause = error instanceof Error ? error.cause : undefined;
  const details: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  return isOutcome(details) ? details : null;
}

function isOutcome(value: unknown): value is ClusterOutcome {
  return (
    typeof value === 'object' && value !== null && 'clusterState' in value && 'nextCommand' in value
  );
}
