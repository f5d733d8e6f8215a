import { setTimeout } from 'node:timers/promises';
import { createMetricBatcher, type MetricBatcher } from '../gates/metric-batcher.js';
import type { ClusterAddress } from './credentials/kubeconfig.js';
import { type Transport, createTransport } from './credentials/transport.js';
import type { PrometheusAddress } from './metrics/metric-transport.js';
import { createPrometheusSource } from './metrics/prometheus.js';
import { type ConnectionPool, createConnectionPool } from './ssh/connection-pool.js';

/** One pool for each cluster of this process. An idle one holds no sockets (keep-alive ends after 30 s). */
const transports = sharedByCluster<Transport>();

/** The same for SSH, where an unused connection is closed after a minute. */
const sshPools = sharedByCluster<ConnectionPool>();

/** By address of the server: its limit of queries is for all clusters of this process. */
const metricServers = sharedByCluster<MetricServer>();

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

/** A server of metrics with the queue that all its clusters share. */
export interface MetricServer extends Closable {
  readonly batcher: MetricBatcher;
}

/** The same server for all clusters that reach it in the same way. */
export function borrowMetricServer({
  url,
  caFile,
  tokenFile,
}: PrometheusAddress): Borrowed<MetricServer> {
  const address = { url, caFile, tokenFile };
  const key = JSON.stringify([url, caFile, tokenFile]);
  return metricServers.borrow(key, key, () => {
    const source = createPrometheusSource(address);
    const batcher = createMetricBatcher(source, { pause: (ms) => setTimeout(ms) });
    return { batcher, close: () => source.close() };
  });
}

/** Closes every pool once its users are done. For shutdown, and for commands that no longer need a cluster. */
export async function closeTransports(): Promise<void> {
  await Promise.all([transports.close(), sshPools.close(), metricServers.close()]);
}

/** A resource that all users of one cluster in this process share, such as a connection pool. */
export interface Closable {
  close(): Promise<void>;
}

interface Shared<T> {
  readonly fingerprint: string;
  readonly value: T;
  users: number;
  /** Replaced by one with newer settings, or shut down; closed when its last user is done. */
  retired: boolean;
}

export interface Borrowed<T> {
  readonly value: T;
  giveBack(): Promise<void>;
}

export interface SharedByCluster<T> {
  /** The cluster's own, or a new one when what identifies it changed. */
  borrow(cluster: string, fingerprint: string, make: () => T): Borrowed<T>;
  /** Closes each one once its users are done. For shutdown. */
  close(): Promise<void>;
}

function sharedByCluster<T extends Closable>(): SharedByCluster<T> {
  const all = new Map<string, Shared<T>>();
  const current = (cluster: string, fingerprint: string, make: () => T): Shared<T> => {
    const held = all.get(cluster);
    if (held?.fingerprint === fingerprint) return held;
    if (held !== undefined) void retire(held);
    const shared = { fingerprint, value: make(), users: 0, retired: false };
    all.set(cluster, shared);
    return shared;
  };
  return {
    borrow: (cluster, fingerprint, make) => {
      const shared = current(cluster, fingerprint, make);
      shared.users += 1;
      let givenBack = false;
      return {
        value: shared.value,
        giveBack: async () => {
          if (givenBack) return;
          givenBack = true;
          shared.users -= 1;
          await closeIfUnused(shared);
        },
      };
    },
    close: async () => {
      const each = [...all.values()];
      all.clear();
      await Promise.all(each.map(retire));
    },
  };
}

async function retire<T extends Closable>(shared: Shared<T>): Promise<void> {
  shared.retired = true;
  await closeIfUnused(shared);
}

async function closeIfUnused<T extends Closable>(shared: Shared<T>): Promise<void> {
  if (shared.retired && shared.users === 0) await shared.value.close();
}
