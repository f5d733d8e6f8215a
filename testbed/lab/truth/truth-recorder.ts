import { join } from 'node:path';
import type { Release } from '../binaries/binary-cache.js';
import type { LabCloud } from '../cloud/lab-cloud.js';
import type { LabCluster } from '../cluster/lab-cluster.js';
import { USERS } from '../cluster/pki.js';
import { startMonitor } from '../process-monitor/start-monitor.js';
import { TruthKeeper } from './truth-keeper.js';

/** The recorded truth about each cluster of a lab, from its first manager on. */
export interface TruthRecorder {
  of(cluster: string): TruthKeeper;
  /** Stops the process monitor; its records stay readable while the lab's folder exists. */
  end(): Promise<void>;
}

/** For a lab whose processes are not monitored. */
export const NO_TRUTH: TruthRecorder = {
  of: () => {
    throw new Error('the processes of this lab are not monitored; open it with watched: true');
  },
  end: () => Promise.resolve(),
};

export interface WatchedLab {
  readonly lab: number;
  readonly folder: string;
  readonly cloud: LabCloud;
  readonly clusters: readonly LabCluster[];
}

/** Starts the process monitor of a lab, which must run before the first manager starts. */
export function keepTruth(watched: WatchedLab, releases: Iterable<Release>): TruthRecorder {
  const { lab, folder, cloud, clusters } = watched;
  const monitorFile = join(folder, 'witness.ndjson');
  const clients = Object.fromEntries(
    clusters.map(({ name, pki }) => {
      const { certificatePem, privateKeyPem } = pki.issue(USERS.superAdmin);
      return [name, { certificatePem, privateKeyPem }];
    }),
  );
  const end = startMonitor({ lab, file: monitorFile, clients }, [...releases]);
  const keepers = new Map(
    clusters.map((cluster) => [
      cluster.name,
      new TruthKeeper({
        ...{ cluster: cluster.name, auditLog: cluster.apiServer.auditLog, monitorFile },
        journal: () => cloud.journal(),
        hosts: () => cluster.hosts,
        users: [USERS.admin.user, USERS.worker.user],
      }),
    ]),
  );
  return {
    of: (cluster) => {
      const keeper = keepers.get(cluster);
      if (keeper !== undefined) return keeper;
      throw new Error(
        `the lab has no cluster ${cluster}; it has ${[...keepers.keys()].join(', ')}`,
      );
    },
    end,
  };
}
