import type { LabCluster } from './cluster/lab-cluster.js';
import type { Lab } from './lab.js';
import type { SshLogin } from './nodes/ssh-login.js';

/** How to reach a cluster, and where the evidence about it is. Holds paths and public keys, no secret. */
export interface ClusterDescription {
  readonly name: string;
  readonly server: string;
  /** Of an administrator, and of the product's own user, who has no right before a role is bound to it. */
  readonly kubeconfig: string;
  readonly workerKubeconfig: string;
  /** The API server's record of every write of a Lease, Role, Node or Service, with its user. */
  readonly auditLog: string;
  readonly machinesApi: string | null;
  readonly prometheus: string | null;
  /** Host keys of its machines, kept up to date: known_hosts(5). */
  readonly knownHosts: string;
  readonly nodes: readonly NodeDescription[];
}

export interface NodeDescription {
  readonly name: string;
  readonly role: 'controlPlane' | 'worker';
  readonly version: string;
  readonly running: boolean;
  readonly ssh: SshLogin;
  /** For `nsenter --net`: managers listen on the node's own loopback. */
  readonly networkNamespace: string;
  readonly logs: string;
}

export interface LabDescription {
  readonly lab: number;
  readonly folder: string;
  /** Private key of the client that may log in to every node, mode 0600. */
  readonly sshKey: string;
  readonly cloudJournal: string;
  readonly clusters: readonly ClusterDescription[];
}

/** The lab's current state. */
export function describeLab(lab: Lab): LabDescription {
  return {
    lab: lab.number,
    folder: lab.folder,
    sshKey: lab.sshKey,
    cloudJournal: lab.cloud.journalFile,
    clusters: lab.clusters.map(describeCluster),
  };
}

function describeCluster(cluster: LabCluster): ClusterDescription {
  return {
    name: cluster.name,
    server: cluster.server,
    kubeconfig: cluster.kubeconfig,
    workerKubeconfig: cluster.workerKubeconfig,
    auditLog: cluster.apiServer.auditLog,
    machinesApi: cluster.machinesApiUrl,
    prometheus: cluster.prometheus?.url ?? null,
    knownHosts: cluster.knownHosts,
    nodes: cluster.nodes.map((node) => ({
      name: node.name,
      role: node.spec.role,
      version: node.spec.version,
      running: node.isRunning(),
      ssh: node.sshAccess,
      networkNamespace: node.networkNamespace,
      logs: `${node.folder}/log`,
    })),
  };
}
