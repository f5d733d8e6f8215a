import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { addObservation, emptyTrace } from '../../domain/ownership/ownership.js';
import type { MetricGatePolicy } from '../../domain/policy.js';
import type { ObserveInput } from '../contract.js';
import type { ActivityClock, ActivityLog } from '../dependencies.js';
import { quietScope, realClock } from '../dependencies.js';
import { observeSettled } from '../observe/collect-snapshot.js';
import type { ClusterPorts } from '../ports.js';
import type { GateSampler } from './gate-sampler.js';
import { openGateSampler } from './open-sampler.js';

export interface SamplingInput extends Pick<ObserveInput, 'cluster' | 'policy' | 'timings'> {
  readonly gates: MetricGatePolicy;
  /** How long to sample after the first readings, in ms. */
  readonly forMs: number;
  readonly signal: AbortSignal;
  readonly log: ActivityLog;
  /** After each round. */
  readonly onRound: (verdicts: readonly GateVerdict[], leftMs: number) => void;
  readonly clock?: ActivityClock;
}

/**
 * What the guard of a run would say of this cluster's gates, without a run: reads as often and judges as a guard does, and
 * changes nothing.
 * @throws where the cluster cannot be observed, or the caller gives up
 */
export async function sampleCluster(
  ports: ClusterPorts,
  input: SamplingInput,
): Promise<readonly GateVerdict[]> {
  const { cluster, timings, gates, signal, log, clock = realClock } = input;
  const sampling = {
    ...{ ports, clock, log, cluster: cluster.name, timings, signal },
    onNews: () => undefined,
  };
  const sampler = openGateSampler(sampling, gates, {});
  try {
    const untilMs = clock.nowMs() + input.forMs;
    for (;;) {
      await sampleOnce(ports, input, sampler, clock);
      const leftMs = untilMs - clock.nowMs();
      input.onRound(sampler.verdicts(), Math.max(0, leftMs));
      if (leftMs <= 0) return sampler.verdicts();
      await clock.sleep(Math.min(gates.everyMs, leftMs), signal);
    }
  } finally {
    await sampler.close();
  }
}

async function sampleOnce(
  ports: ClusterPorts,
  { cluster, policy, timings, signal }: SamplingInput,
  sampler: GateSampler,
  clock: ActivityClock,
): Promise<void> {
  const noRun = { workflowId: '', runId: '', actor: '', reason: '', planDigest: '' };
  const asked = { ...noRun, cluster, policy, timings, firstSeen: [] };
  const { observation, leases, serverTimeMs } = await observeSettled(
    ...([ports, clock, quietScope(signal), asked] as const),
  );
  const trace = addObservation(
    emptyTrace(policy.lock.controllers, observation.observedAtMs),
    observation,
    () => null,
  );
  await sampler.observed({ observation, leases, serverTimeMs, trace });
  await sampler.settled();
}
