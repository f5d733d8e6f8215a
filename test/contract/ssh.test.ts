import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, jest } from '@jest/globals';
import { connectCluster } from '../../activities/adapters/connect.js';
import { closeTransports } from '../../activities/adapters/shared-transports.js';
import { loadInventory, type InventoryCluster } from '../../config/loaded-inventories.js';
import { createRealClock } from '../../testbed/simulator/clock/real-clock.js';
import { createCluster } from '../../testbed/simulator/cluster/create-cluster.js';
import { serveClusters } from '../../testbed/simulator/server/serve-clusters.js';
import { INSTALL_SYSTEMCTL, START_KUBELET } from '../support/ssh-node/kubelet-on-node.js';
import { startManager } from '../support/ssh-node/manager-on-node.js';
import { startSshNode } from '../support/ssh-node/start-ssh-node.js';
import { whyNoSshNode } from '../support/ssh-node/why-no-sshd.js';
import type { ContractNode } from './contract-cluster.js';
import { nodeFilesContract } from './node-files.contract.js';
import { nodeIdentityContract } from './node-identity.contract.js';
import { nodeKubeletsContract } from './node-kubelets.contract.js';
import { nodeProcessesContract } from './node-processes.contract.js';

jest.setTimeout(60_000);

/** Shell that prints the process id of the manager that the node was started with. */
const KCM_PID = "$(pgrep -f '^/usr/local/bin/kube-controller-manager')";

/** A real sshd is the node; the simulator's API server reports which nodes exist. */
async function openSshNode(prepare: string): Promise<ContractNode> {
  const stateDir = await mkdtemp(join(tmpdir(), 'ccm-migrate-ssh-contract-'));
  const clock = createRealClock(1);
  const served = await serveClusters({
    clusters: [createCluster({ id: 'alpha', clock })],
    port: 0,
    speed: 1,
    stateDir,
    credential: 'clientCertificate',
  });
  const [entry] = await loadInventory(served.inventoryPath);
  if (entry === undefined) throw new Error('the simulator wrote an empty inventory');
  const node = await startSshNode({
    start: startManager() + START_KUBELET,
    prepare: `${prepare}\n${INSTALL_SYSTEMCTL}`,
    clusterCa: await authorityOf(entry),
  });
  const reached = { ...entry, nodeAccess: node.access('cp-1') };
  const ports = await connectCluster(reached);
  return {
    ports,
    node: 'cp-1',
    as: ({ uid, ...named }) =>
      connectCluster({ ...reached, ...named }, uid === undefined ? {} : { uid }),
    pauseKcm: () => void node.onNode(`kill -STOP ${KCM_PID}`),
    resumeKcm: () => void node.onNode(`kill -CONT ${KCM_PID}`),
    order: { side: 'source', version: '1.30.14' },
    patienceMs: 20_000,
    close: async () => {
      await ports.close();
      await closeTransports();
      await served.stop();
      clock.stop();
      await node.stop();
      await rm(stateDir, { recursive: true });
    },
  };
}

/** The managers of a cluster trust clients of the same authority as its API server. */
async function authorityOf({ kubeconfig }: InventoryCluster): Promise<string> {
  const text = await readFile(kubeconfig, 'utf8');
  const [, base64 = ''] = /"certificate-authority-data": "([^"]+)"/.exec(text) ?? [];
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Debian's /bin/sh is dash, that of Red Hat's and SUSE's systems bash. */
const SHELLS = [
  ['a real sshd', ''],
  [
    'a real sshd where /bin/sh is bash',
    'mount --bind "$(readlink -f /bin/bash)" "$(readlink -f /bin/sh)"',
  ],
] as const;

const why = whyNoSshNode();
if (why === null) {
  for (const [name, prepare] of SHELLS) {
    nodeFilesContract(name, () => openSshNode(prepare));
    nodeProcessesContract(name, () => openSshNode(prepare));
    nodeIdentityContract(name, () => openSshNode(prepare));
    nodeKubeletsContract(name, () => openSshNode(prepare));
  }
} else {
  describe('a real sshd', () => {
    it.todo(`not run: ${why}`);
  });
}
