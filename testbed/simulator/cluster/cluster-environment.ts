import type { FakeCloud } from '../cloud/fake-cloud.js';
import type { KubeletDelays } from '../kubelets/delays.js';
import type { ProcessTimers } from '../managers/process-timers.js';
import type { Draws, ObjectStore } from '../model.js';
import type { OwnershipLogs } from '../../base/truth/ownership-log.js';

/** What all parts of one simulated cluster share. */
export interface ClusterEnvironment {
  /** The cluster's timers on the shared clock; they end with the cluster. */
  readonly clock: ProcessTimers;
  readonly draws: Draws;
  readonly store: ObjectStore;
  readonly cloud: FakeCloud;
  readonly ownership: OwnershipLogs;
  readonly delays: KubeletDelays;
  /** How many KCM processes run their main loops now: workload and node controllers act only while one does. */
  readonly mainLoops: { count: number };
  /** Control-plane nodes and workers get pod CIDRs and addresses from one sequence. */
  readonly numbers: { next: number };
  /** PEM of the cluster's authority, as each machine receives it. */
  readonly authority: { pem: string };
}
