import type { Manager } from '../../domain/vocabulary.js';
import { MANAGERS } from '../../domain/vocabulary.js';
import { failureTypeOf } from '../failures.js';
import { manifestPath, nextPath, parkedPath } from '../node-paths.js';
import type { CallOptions, ClusterPorts, NodeSnapshot } from '../ports.js';
import type { MetricsReading } from './manager-metrics.js';
import { managerFilePaths, type ManagerFilePaths } from './mounted-paths.js';
import type { FileReading, NodeAccessReading, SlotFiles } from './readings.js';

/**
 * Reads everything of one node through its own access, in two requests at most; null when the node does not answer.
 * Other failures (throttled, forbidden) are thrown: they prove nothing about the node.
 */
export async function readNodeAccess(
  ports: ClusterPorts,
  node: string,
  options: CallOptions,
): Promise<NodeAccessReading | null> {
  try {
    const first = await ports.processes.snapshot(node, { files: FIXED, directories: [] }, options);
    const slots = { kcm: slotOf(first, 'kcm'), ccm: slotOf(first, 'ccm') };
    const named = managerFilePaths(first.host.processes, [slots.kcm, slots.ccm]);
    const more = await readNamed(ports, node, named, options);
    return {
      host: first.host,
      metrics: metricsOf(first),
      files: slots,
      migrationFiles: new Map(named.migration.map((path) => [path, fileIn(more, path)])),
      cloudConfigHashes: more === null ? new Map() : hashesIn(more),
    };
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Unreachable' || type === 'Timeout') return null;
    throw error;
  }
}

/** Files that are always read. */
const FIXED = MANAGERS.flatMap((manager) => [
  manifestPath(manager),
  nextPath(manager),
  parkedPath(manager),
]);

/**
 * Files that the managers' own settings name; null when they name none. A cloud configuration may hold secrets: only
 * its digest is read.
 */
async function readNamed(
  { processes }: ClusterPorts,
  node: string,
  { migration, cloudConfig }: ManagerFilePaths,
  options: CallOptions,
): Promise<NodeSnapshot | null> {
  if (migration.length + cloudConfig.length === 0) return null;
  const directories = [...new Set(cloudConfig.map(folderOf))];
  return processes.snapshot(node, { files: migration, directories }, options);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function slotOf(snapshot: NodeSnapshot, manager: Manager): SlotFiles {
  return {
    manifest: fileIn(snapshot, manifestPath(manager)),
    next: fileIn(snapshot, nextPath(manager)),
    parked: fileIn(snapshot, parkedPath(manager)),
  };
}

function fileIn(snapshot: NodeSnapshot | null, path: string): FileReading {
  const file = snapshot?.files.get(path) ?? null;
  if (file === null) return { kind: 'absent' };
  const { content, hash, changedAtMs } = file;
  return { kind: 'text', text: content, hash, changedAtMs };
}

function hashesIn({ directories }: NodeSnapshot): ReadonlyMap<string, string> {
  return new Map(
    [...directories].flatMap(([folder, items]) =>
      items.map(({ name, hash }) => [`${folder === '/' ? '' : folder}/${name}`, hash] as const),
    ),
  );
}

function metricsOf({ elections }: NodeSnapshot): Readonly<Record<Manager, MetricsReading>> {
  return { kcm: metricsReading(elections.kcm), ccm: metricsReading(elections.ccm) };
}

/** Metrics are evidence that may be missing (paused, old builds); that alone does not make a node unreadable. */
function metricsReading(text: string | null): MetricsReading {
  return text === null ? { kind: 'silent' } : { kind: 'text', text };
}
