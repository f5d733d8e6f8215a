import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '../../../testbed/simulator/clock/virtual-clock.js';
import { createCluster } from '../../../testbed/simulator/cluster/create-cluster.js';
import { serveClusters } from '../../../testbed/simulator/server/serve-clusters.js';
import type { ApiServerUnderTest } from './exchange.js';

const HISTORY = 50;

/** The simulator's API server over HTTPS, in a cluster whose clock does not run: only requests change anything. */
export async function openSimulatedServer(version: string): Promise<ApiServerUnderTest> {
  const stateDir = mkdtempSync(join(tmpdir(), 'ccm-migrate-corpus-'));
  const cluster = createCluster({
    ...{ id: 'corpus', clock: createVirtualClock(), version },
    plans: [{ kcm: null, ccm: null, kubelet: 'inTree', kubeletVersion: version }],
  });
  const served = await serveClusters({
    ...{ clusters: [cluster], port: 0, speed: 1, stateDir, historyLimit: HISTORY },
  });
  return {
    kubeconfigFor: (user) => served.kubeconfigFor('corpus', user, 'clientCertificate'),
    forgetHistory: () => {
      for (let count = 0; count < HISTORY * 4; count += 1) {
        const metadata = { name: 'forgetting', namespace: 'default' };
        const draft = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata,
          data: { count: String(count) },
        };
        const resource = 'configmaps';
        if (count === 0) cluster.store.create(resource, draft);
        else cluster.store.update(resource, draft);
      }
      return Promise.resolve();
    },
    close: async () => {
      await served.stop();
      rmSync(stateDir, { recursive: true });
    },
  };
}
