import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabClusterAccess, LabProcess } from '../../devserver/processes/lab-process.js';
import { writeFleetFiles, type FleetEnvironment } from './fleet-files.js';
import type { MigrationVariant } from './variant.js';

/** As the lab assigns it to its clusters (testbed/lab/cluster/networks.ts). */
const POD_NETWORK = '10.244.0.0/16';
const GUARD_MS = 500;

/** A cluster as one user reaches it. */
type ReachedCluster = Omit<LabClusterAccess, 'workerKubeconfig' | 'auditLog'>;

type ReachedClusters = Pick<LabProcess, 'sshKey'> & {
  readonly clusters: readonly ReachedCluster[];
};

/** The inventory of a lab. Host keys come from the provisioner of the machines: the lab keeps its known_hosts file up to date. */
export function labInventory({ sshKey, clusters }: ReachedClusters): string {
  const each = clusters.map(
    ({ name, kubeconfig, knownHosts, machinesApi, prometheus = null }) => `    - name: ${name}
      kubeconfig: ${kubeconfig}
      nodeAccess:
        kind: ssh
        user: root
        identityFile: ${sshKey}
        knownHosts: ${knownHosts}
      machinesApi:
        url: ${machinesApi}
      cloudApi:
        url: ${machinesApi}/cloud-api
${prometheus === null ? '' : metricsOf(name, prometheus)}`,
  );
  return `apiVersion: ccm-migrate.dev/v1alpha1
kind: ClusterInventory
metadata:
  name: lab
spec:
  clusters:
${each.join('')}`;
}

/** It scrapes every 5 s. */
function metricsOf(cluster: string, url: string): string {
  return `      metrics:
        prometheus:
          url: ${url}
          match:
            cluster: ${cluster}
          staleAfter: 15s
`;
}

/** What a fleet of the lab's clusters needs to know of one of them. */
export function labEnvironment({ name: cluster, server }: ReachedCluster): FleetEnvironment {
  return {
    ...{ cluster, server, inventory: 'lab' },
    ...{ clusterCidr: POD_NETWORK, guardMs: GUARD_MS },
  };
}

/** Writes the fleet of a lab's cluster as its operator would. Returns the paths to lint. */
export async function writeLabFleet(
  folder: string,
  lab: Pick<LabProcess, 'sshKey'> & { readonly cluster: ReachedCluster },
  variant: MigrationVariant,
): Promise<readonly string[]> {
  const inventory = join(folder, 'inventory.yaml');
  await writeFile(inventory, labInventory({ sshKey: lab.sshKey, clusters: [lab.cluster] }));
  return [...(await writeFleetFiles(folder, labEnvironment(lab.cluster), variant)), inventory];
}
