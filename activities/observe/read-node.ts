import type { Manager } from '../../domain/vocabulary.js';
import { failureTypeOf } from '../failures.js';
import { KUBELET_FLAGS, manifestPath, nextPath, parkedPath } from '../node-paths.js';
import type { CallOptions, ClusterPorts, HostState } from '../ports.js';
import type { MetricsReading } from './manager-metrics.js';
import { managerFilePaths } from './mounted-paths.js';
import type { FileReading, NodeAccessReading, SlotFiles } from './readings.js';

/**
 * Reads everything of one node through its own access, in parallel; null when the node does not answer.
 * Failures of another kind (throttled, forbidden) are thrown: they say nothing about the node.
 */
export async function readNodeAccess(
  ports: ClusterPorts,
  node: string,
  options: CallOptions,
): Promise<NodeAccessReading | null> {
  try {
    const [host, kcm, ccm, kubeletFlags] = await Promise.all([
      ports.processes.host(node, options),
      readSlot(ports, node, 'kcm', options),
      readSlot(ports, node, 'ccm', options),
      readFile(ports, node, KUBELET_FLAGS, options),
    ]);
    const files = { kcm, ccm };
    const paths = managerFilePaths(host.processes, [kcm, ccm]);
    const [metrics, migrationFiles, cloudConfigHashes] = await Promise.all([
      readMetrics(ports, node, host, options),
      readMigrationFiles(ports, node, paths.migration, options),
      readHashes(ports, node, paths.cloudConfig, options),
    ]);
    return { host, metrics, files, migrationFiles, cloudConfigHashes, kubeletFlags };
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Unreachable' || type === 'Timeout') return null;
    throw error;
  }
}

async function readSlot(
  ports: ClusterPorts,
  node: string,
  manager: Manager,
  options: CallOptions,
): Promise<SlotFiles> {
  const [manifest, next, parked] = await Promise.all([
    readFile(ports, node, manifestPath(manager), options),
    readFile(ports, node, nextPath(manager), options),
    readFile(ports, node, parkedPath(manager), options),
  ]);
  return { manifest, next, parked };
}

async function readFile(
  { files }: ClusterPorts,
  node: string,
  path: string,
  options: CallOptions,
): Promise<FileReading> {
  const file = await files.read(node, path, options);
  if (file === null) return { kind: 'absent' };
  return { kind: 'text', text: file.content, hash: file.hash };
}

async function readMigrationFiles(
  ports: ClusterPorts,
  node: string,
  paths: readonly string[],
  options: CallOptions,
): Promise<ReadonlyMap<string, FileReading>> {
  const readings = await Promise.all(
    paths.map(async (path) => [path, await readFile(ports, node, path, options)] as const),
  );
  return new Map(readings);
}

/** Digests of files by listing their folders: a cloud configuration may hold secrets, so its text is not read. */
async function readHashes(
  { files }: ClusterPorts,
  node: string,
  paths: readonly string[],
  options: CallOptions,
): Promise<ReadonlyMap<string, string>> {
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
  const hashes = new Map<string, string>();
  for (const folder of new Set(paths.map(folderOf))) {
    for (const { name, hash } of await files.list(node, folder, options)) {
      hashes.set(`${folder === '/' ? '' : folder}/${name}`, hash);
    }
  }
  return hashes;
}

async function readMetrics(
  ports: ClusterPorts,
  node: string,
  host: HostState,
  options: CallOptions,
): Promise<Readonly<Record<Manager, MetricsReading>>> {
  const [kcm, ccm] = await Promise.all(
    (['kcm', 'ccm'] as const).map((manager) =>
      host.processes.some((process) => process.manager === manager)
        ? readOneMetrics(ports, node, manager, options)
        : Promise.resolve<MetricsReading>({ kind: 'silent' }),
    ),
  );
  return { kcm: kcm ?? { kind: 'silent' }, ccm: ccm ?? { kind: 'silent' } };
}

/** Metrics are evidence that may be missing (paused, old builds); that alone makes no node unreadable. */
async function readOneMetrics(
  { processes }: ClusterPorts,
  node: string,
  manager: Manager,
  options: CallOptions,
): Promise<MetricsReading> {
  try {
    const text = await processes.metrics(node, manager, options);
    return text === null ? { kind: 'silent' } : { kind: 'text', text };
  } catch {
    return { kind: 'unreadable' };
  }
}
