import type { RunContext } from '../../activities/contract.js';
import { policyOf } from '../support/cluster-builder.js';
import type { RunTimings } from '../../domain/policy.js';

export const TIMINGS: RunTimings = {
  requestMs: 10_000,
  effectMs: 60_000,
  electionMs: 60_000,
  pollMs: 500,
  fenceRenewMs: 5_000,
  fenceRenewIdleMs: 30_000,
  guardMs: 2_000,
  guardIdleMs: 10_000,
  guardWaitMs: 30_000,
  settleMs: 5_000,
  awaitChangeMs: 60_000,
  stepTimeoutMs: 600_000,
  heartbeatMs: 30_000,
};

export function runContext(changes: Partial<RunContext> = {}): RunContext {
  return {
    cluster: { name: 'c1', uid: 'uid-1' },
    workflowId: 'cluster-migration/uid-1',
    runId: 'run-1',
    actor: 'ana',
    reason: 'upgrade',
    planDigest: 'sha256:plan',
    policy: policyOf(),
    timings: TIMINGS,
    ...changes,
  };
}
