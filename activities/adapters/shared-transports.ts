import type { ClusterAddress } from './kubeconfig.js';
import { sharedByCluster, type Borrowed } from './shared-by-cluster.js';
import { createConnectionPool, type ConnectionPool } from './ssh/connection-pool.js';
import { createTransport, type Transport } from './transport.js';

/** One pool for each cluster of this process. An idle one holds no sockets (keep-alive ends after 30 s). */
const transports = sharedByCluster<Transport>();

/** The same for SSH, where an unused connection is closed after a minute. */
const sshPools = sharedByCluster<ConnectionPool>();

/** The cluster's pool, or a new one when address or credential changed. */
export function borrowTransport(
  cluster: string,
  fingerprint: string,
  address: ClusterAddress,
): Borrowed<Transport> {
  return transports.borrow(cluster, fingerprint, () => createTransport(address));
}

/** The cluster's SSH connections, or new ones when their settings changed. */
export function borrowSshPool(cluster: string, fingerprint: string): Borrowed<ConnectionPool> {
  return sshPools.borrow(cluster, fingerprint, () => createConnectionPool());
}

/** Closes every pool once its users are done. For shutdown, and for commands that no longer need a cluster. */
export async function closeTransports(): Promise<void> {
  await Promise.all([transports.close(), sshPools.close()]);
}
