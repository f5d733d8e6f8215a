import { sampleCluster } from '../../activities/gates/sample-cluster.js';
import { unstatedMetricGates } from '../../config/normalised-policy.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { MetricGatePolicy } from '../../domain/policy.js';
import type { Chosen } from '../plan/make-plan.js';
import { onClusterFromHere } from '../plan/inspect-cluster.js';

interface Asked {
  readonly forMs: number;
  readonly signal: AbortSignal;
  readonly onRound: (verdicts: readonly GateVerdict[], leftMs: number) => void;
}

/** All gates, judged as the policy judges those that it has; from here, without Temporal and without any change. */
export async function sampleHere(
  { fleet: { policy, timings }, cluster }: Chosen,
  { forMs, signal, onRound }: Asked,
): Promise<readonly GateVerdict[]> {
  return onClusterFromHere(cluster, timings, (ports, uid) =>
    sampleCluster(ports, {
      ...{ cluster: { name: cluster.name, uid }, policy, timings, forMs, signal, onRound },
      gates: allGates(policy.metricGates),
      log: { info: () => undefined, warn: () => undefined },
    }),
  );
}

function allGates(written: MetricGatePolicy | undefined): MetricGatePolicy {
  return { ...(written ?? unstatedMetricGates()), catalogue: 'nodes', objects: 'watch' };
}
