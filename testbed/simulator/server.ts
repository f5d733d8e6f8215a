import { createRealClock } from './clock/real-clock.js';
import type { ClusterSpec } from './cluster/cluster-spec.js';
import { createCluster } from './cluster/create-cluster.js';
import { firstElections } from './server/first-election.js';
import {
  serveClusters,
  type ClusterParticulars,
  type RunningSimulator,
  type ServeOptions,
} from './server/serve-clusters.js';

interface WantedCluster {
  readonly id: string;
  readonly spec?: Omit<ClusterSpec, 'id' | 'clock'>;
  /** Instead of the region of all, with labels and faults. */
  readonly particulars?: ClusterParticulars;
}

export interface SimulatorOptions extends Omit<ServeOptions, 'clusters' | 'particulars'> {
  /** The parameters of each cluster. All share one clock; each derives its own delays from `seed` and its id. */
  readonly clusters: readonly WantedCluster[];
  readonly seed?: string | number;
}

export interface StartedSimulator extends RunningSimulator {
  /** Resolves when a manager leads in each cluster, or when the time is up. */
  elected(withinMs: number): Promise<void>;
}

/**
 * Starts clusters in real time (times `speed`) and serves them over HTTPS on the loopback: Kubernetes API, node
 * access, machines API and control, each below `/clusters/<id>`. Writes kubeconfigs and a ClusterInventory to
 * `stateDir`.
 */
export async function startSimulator(options: SimulatorOptions): Promise<StartedSimulator> {
  const { clusters, seed = 1, ...serving } = options;
  const clock = createRealClock(options.speed);
  const started = clusters.map(({ id, spec }) =>
    createCluster({ seed: `${seed}/${id}`, ...spec, id, clock }),
  );
  const particulars = new Map(
    clusters.flatMap(({ id, particulars: own }) => (own === undefined ? [] : [[id, own]])),
  );
  const running = await serveClusters({ ...serving, clusters: started, particulars });
  return {
    ...running,
    elected: (withinMs) => firstElections(started, withinMs),
    stop: async () => {
      await running.stop();
      clock.stop();
    },
  };
}
