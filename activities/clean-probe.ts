import { type ActivityClock, realClock } from './dependencies.js';
import { failure } from './failures.js';
import { renewalLimitMs } from './fence/fence-record.js';
import { listFence } from './fence/read-fence.js';
import { PROBE_SERVICE } from '../domain/probes/balancer-probe.js';
import type { RunTimings } from '../domain/policy.js';
import type { ApiObject, CallOptions, KubernetesApi } from './ports.js';
import { findProbeService, probePollMs, uidToDelete } from './probes/probe-service.js';

/** What became of the Service of a probe. */
export type CleanedProbe = 'absent' | 'deleted' | 'leaving';

export interface CleanRequest {
  readonly timings: RunTimings;
  /** How long to wait until it is gone. */
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly clock?: ActivityClock;
}

/**
 * Deletes what a probe has left, for a cluster without an open run: a run cleans up itself, and is not to lose its probe
 * meanwhile (`AlreadyRunning`). Waits until the Service is gone; `leaving` when its finalizer still waits for the owner of
 * the service controller.
 */
export async function cleanProbe(
  api: KubernetesApi,
  { timings, withinMs, signal, clock = realClock }: CleanRequest,
): Promise<CleanedProbe> {
  const options: CallOptions = { timeoutMs: timings.requestMs, signal };
  const left = await findProbeService(api, options);
  if (left === null) return 'absent';
  await requireNoRun(api, timings, options);
  const uid = uidToDelete(left);
  if (uid !== null) await api.remove(PROBE_SERVICE, { ...options, uid });
  const deadline = clock.nowMs() + withinMs;
  for (;;) {
    if (!isSame(left, await findProbeService(api, options))) return 'deleted';
    if (clock.nowMs() >= deadline) return 'leaving';
    await clock.sleep(probePollMs(timings), signal);
  }
}

function isSame(before: ApiObject, now: ApiObject | null): boolean {
  return now?.metadata?.uid === before.metadata?.uid;
}

/** A fence that is no longer renewed belongs to a run that was ended by force. */
async function requireNoRun(
  api: KubernetesApi,
  timings: RunTimings,
  options: CallOptions,
): Promise<void> {
  const { fence, serverTimeMs } = await listFence(api, options);
  if (fence === null || fence.runId === '') return;
  const age = fence.renewedAtMs === null ? null : serverTimeMs - fence.renewedAtMs;
  if (age !== null && age > renewalLimitMs({ timings }, 'idle')) return;
  throw failure(
    'AlreadyRunning',
    `run ${fence.workflowId} of ${fence.actor} is open and cleans up itself. Wait for its end, or stop it: \`ccm-migrate status\``,
  );
}
