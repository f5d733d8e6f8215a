import { describe, it, jest } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { connectCluster } from '../../../activities/adapters/connect.js';
import { closeTransports } from '../../../activities/adapters/shared-transports.js';
import type { NodeFile } from '../../../activities/ports.js';
import { digestText } from '../../../domain/digest.js';
import { openLab } from '../../../testbed/lab/lab.js';
import { placeOnHost } from '../../../testbed/lab/nodes/node-disk.js';
import type { ContractCluster } from '../../contract/contract-cluster.js';
import { machinesContract } from '../../contract/machines.contract.js';
import { leftOut } from './wanted.js';

const VERSION = process.env['CCM_TEST_LAB_VERSION'] ?? '1.30.14';

jest.setTimeout(900_000);

/** A real cluster with one node, as the product connects to it; files of nodes are inspected from the host. */
async function openRealCluster(): Promise<ContractCluster> {
  const lab = await openLab({
    nodes: 1,
    from: VERSION,
    to: VERSION,
    env: process.env,
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  const [cluster] = lab.clusters;
  if (cluster === undefined) throw new Error('a lab without a cluster');
  const url = cluster.machinesApiUrl;
  const ports = await connectCluster({
    name: cluster.name,
    kubeconfig: cluster.kubeconfig,
    nodeAccess: { kind: 'none' },
    machinesApi: url === null ? null : { url },
    allow: { exec: false, fileReferences: false },
  });
  const read = async (node: string, path: string): Promise<NodeFile | null> => {
    const place = placeOnHost(cluster.node(node).folder, path);
    if (!existsSync(place)) return null;
    const content = readFileSync(place, 'utf8');
    return { path, content, hash: digestText(content), mode: '0600', changedAtMs: 0 };
  };
  return {
    ports: { ...ports, files: { ...ports.files, read } },
    node: 'cp-1',
    order: { side: 'source', version: VERSION },
    patienceMs: 240_000,
    close: async () => {
      await ports.close();
      await closeTransports();
      await lab.close();
    },
  };
}

const why = leftOut(2);
if (why === null) machinesContract('the lab', openRealCluster);
else
  describe.skip(`the lab keeps the contract of Machines (${why})`, () =>
    it('the contract of Machines on the lab needs root, Linux and Go', () => undefined));
