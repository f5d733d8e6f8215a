import type { ClusterAddress } from './kubeconfig.js';
import { createTransport, type Transport } from './transport.js';

interface Shared {
  readonly fingerprint: string;
  readonly transport: Transport;
  users: number;
  /** Replaced by one with a newer credential, or shut down: closed when its last user is done. */
  retired: boolean;
}

/** One pool for each cluster of this process. An idle one holds no sockets (keep-alive ends after 30 s). */
const pools = new Map<string, Shared>();

export interface BorrowedTransport {
  readonly transport: Transport;
  giveBack(): Promise<void>;
}

/** The cluster's pool, or a new one when address or credential changed. */
export function borrowTransport(
  cluster: string,
  fingerprint: string,
  address: ClusterAddress,
): BorrowedTransport {
  const shared = currentPool(cluster, fingerprint, address);
  shared.users += 1;
  let givenBack = false;
  return {
    transport: shared.transport,
    giveBack: async () => {
      if (givenBack) return;
      givenBack = true;
      shared.users -= 1;
      await closeIfUnused(shared);
    },
  };
}

/** Closes every pool once its users are done. For shutdown. */
export async function closeTransports(): Promise<void> {
  const all = [...pools.values()];
  pools.clear();
  await Promise.all(all.map(retire));
}

function currentPool(cluster: string, fingerprint: string, address: ClusterAddress): Shared {
  const held = pools.get(cluster);
  if (held?.fingerprint === fingerprint) return held;
  if (held !== undefined) void retire(held);
  const shared = { fingerprint, transport: createTransport(address), users: 0, retired: false };
  pools.set(cluster, shared);
  return shared;
}

async function retire(shared: Shared): Promise<void> {
  shared.retired = true;
  await closeIfUnused(shared);
}

async function closeIfUnused(shared: Shared): Promise<void> {
  if (shared.retired && shared.users === 0) await shared.transport.close();
}
