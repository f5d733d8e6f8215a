import { join } from 'node:path';
import type { LabCluster } from '../cluster/lab-cluster.js';
import { labCgroup } from '../host/cgroups.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { stateFolder } from '../host/folders.js';
import { gatewayAddress, loopbackAddress, PORTS } from '../network/address-plan.js';
import { openMetricsEndpoint, type MetricsEndpoint } from './metrics-endpoint.js';
import { LabPrometheus } from './lab-prometheus.js';

/**
 * Starts a Prometheus for each cluster of a lab. The caller must stop the returned server; the Prometheus processes
 * end with the lab.
 */
export async function keepMetrics(
  lab: number,
  clusters: readonly LabCluster[],
  env: Environment,
): Promise<MetricsEndpoint> {
  const address = gatewayAddress(lab);
  const endpoint = await openMetricsEndpoint({ clusters, address, port: PORTS.metrics });
  try {
    for (const [index, cluster] of clusters.entries()) {
      const prometheus = new LabPrometheus({
        ...{ cluster, env, targetsUrl: endpoint.targetsUrl(cluster.name) },
        folder: join(stateFolder(lab), cluster.name, 'prometheus'),
        cgroup: join(labCgroup(lab), cluster.name, 'prometheus'),
        address: `${loopbackAddress(lab)}:${PORTS.prometheus + index + 1}`,
      });
      await prometheus.start();
      cluster.prometheus = prometheus;
    }
  } catch (error) {
    await endpoint.stop();
    throw error;
  }
  return endpoint;
}
