import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabProcess } from '../../devserver/processes/lab-process.js';
import { writeFleetFiles } from './fleet-files.js';
import type { MigrationVariant } from './variant.js';

/** As the lab assigns it to its clusters (testbed/lab/cluster/networks.ts). */
const POD_NETWORK = '10.244.0.0/16';
const GUARD_MS = 500;

/** Host keys come from the provisioner of the machines: the lab keeps its known_hosts file up to date. */
const inventoryText = ({
  sshKey,
  cluster,
}: Pick<LabProcess, 'sshKey' | 'cluster'>): string => `apiVersion: ccm-migrate.dev/v1alpha1
kind: ClusterInventory
metadata:
  name: lab
spec:
  clusters:
    - name: ${cluster.name}
      kubeconfig: ${cluster.kubeconfig}
      nodeAccess:
        kind: ssh
        user: root
        identityFile: ${sshKey}
        knownHosts: ${cluster.knownHosts}
      machinesApi:
        url: ${cluster.machinesApi}
`;

/** Writes the fleet of a lab's cluster as its operator would. Returns the paths to lint. */
export async function writeLabFleet(
  folder: string,
  lab: Pick<LabProcess, 'sshKey' | 'cluster'>,
  variant: MigrationVariant,
): Promise<readonly string[]> {
  const inventory = join(folder, 'inventory.yaml');
  await writeFile(inventory, inventoryText(lab));
  const { name: cluster, server } = lab.cluster;
  const environment = {
    ...{ cluster, server, inventory: 'lab' },
    ...{ clusterCidr: POD_NETWORK, guardMs: GUARD_MS },
  };
  return [...(await writeFleetFiles(folder, environment, variant)), inventory];
}
