import type { ClusterPorts } from '../../ports.js';
import { createManagerMetrics, type ManagerCredential } from './manager-metrics.js';
import { createSshNodeFiles } from './node-files-ssh.js';
import { createSshNodeKubelets } from './node-kubelets-ssh.js';
import { createSshNodeProcesses } from './node-processes-ssh.js';
import { createNodeShell, type NodeShellSettings } from './node-shell.js';

/** Files and processes of a cluster's nodes over SSH; `credential` is sent to the managers' ports. */
export function createSshNodeAccess(
  settings: NodeShellSettings,
  credential: ManagerCredential,
): Pick<ClusterPorts, 'files' | 'processes' | 'kubelets'> {
  const shell = createNodeShell(settings);
  return {
    files: createSshNodeFiles(shell),
    processes: createSshNodeProcesses(shell, createManagerMetrics(shell, credential)),
    kubelets: createSshNodeKubelets(shell),
  };
}
