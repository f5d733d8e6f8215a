import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { connectCluster } from '../../activities/adapters/connect.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import { loadInventory } from '../../config/loaded-inventories.js';
import { createRealClock } from '../../testbed/simulator/clock/real-clock.js';
import { createCluster } from '../../testbed/simulator/cluster/create-cluster.js';
import { serveClusters } from '../../testbed/simulator/server/serve-clusters.js';
import { cloudListsContract } from './cloud-lists.contract.js';
import type { ContractNode } from './contract-cluster.js';
import { kubernetesContract } from './kubernetes.contract.js';
import { machinesContract } from './machines.contract.js';
import { nodeFilesContract } from './node-files.contract.js';
import { nodeIdentityContract } from './node-identity.contract.js';
import { nodeKubeletsContract } from './node-kubelets.contract.js';
import { nodeProcessesContract } from './node-processes.contract.js';

const SPEED = 50;
const VERSION = '1.30.14';
const PATIENCE_MS = 20_000;

jest.setTimeout(60_000);

/** A three-node cluster at fifty times real speed, reached through its inventory as a worker does. */
async function openSimulator(credential: 'token' | 'clientCertificate'): Promise<ContractNode> {
  const stateDir = await mkdtemp(join(tmpdir(), 'ccm-migrate-contract-'));
  const clock = createRealClock(SPEED);
  const cluster = createCluster({
    ...{ id: 'alpha', clock, version: VERSION, etcd: 'stacked', loadBalancers: 2 },
  });
  const served = await serveClusters({
    clusters: [cluster],
    port: 0,
    speed: SPEED,
    stateDir,
    credential,
  });
  const [entry] = await loadInventory(served.inventoryPath);
  if (entry === undefined) throw new Error('the simulator wrote an empty inventory');
  const ports = await connectCluster(entry);
  return {
    ports,
    node: 'cp-1',
    as: ({ uid, ...named }) =>
      connectCluster({ ...entry, ...named }, uid === undefined ? {} : { uid }),
    pauseKcm: () => void cluster.pauseProcess('cp-1', 'kcm'),
    resumeKcm: () => void cluster.resumeProcess('cp-1', 'kcm'),
    order: { side: 'source', version: VERSION },
    patienceMs: PATIENCE_MS,
    close: async () => {
      await ports.close();
      await closeTransports();
      await served.stop();
      clock.stop();
      await rm(stateDir, { recursive: true });
    },
  };
}

kubernetesContract('the simulator', () => openSimulator('token'));
nodeFilesContract('the simulator', () => openSimulator('clientCertificate'));
nodeIdentityContract('the simulator', () => openSimulator('token'));
nodeKubeletsContract('the simulator', () => openSimulator('token'));
nodeProcessesContract('the simulator', () => openSimulator('token'));
machinesContract('the simulator', () => openSimulator('clientCertificate'));
cloudListsContract('the simulator', () => openSimulator('token'));
