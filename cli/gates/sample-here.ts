import { connectCluster } from '../../activities/adapters/connect.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import { sampleCluster } from '../../activities/gates/sample-cluster.js';
import { unstatedMetricGates } from '../../config/normalised-policy.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { MetricGatePolicy } from '../../domain/policy.js';
import { refusalAt } from '../cli-error.js';
import type { Chosen } from '../plan/make-plan.js';
import { identify } from '../plan/inspect-cluster.js';

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
  try {
    const ports = await connectCluster(cluster);
    try {
      const uid = await identify(ports.api, cluster, timings.requestMs);
      return await sampleCluster(ports, {
        ...{ cluster: { name: cluster.name, uid }, policy, timings, forMs, signal, onRound },
        gates: allGates(policy.metricGates),
        log: { info: () => undefined, warn: () => undefined },
      });
    } finally {
      await ports.close();
      await closeTransports();
    }
  } catch (error) {
    throw refusalAt(cluster.name, error);
  }
}

function allGates(written: MetricGatePolicy | undefined): MetricGatePolicy {
  return { ...(written ?? unstatedMetricGates()), catalogue: 'nodes', objects: 'watch' };
}
