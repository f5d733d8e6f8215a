import { RUN_CCM_LABEL } from '../../domain/manifests/paths.js';
import type {
  ManagerConfig,
  ManagerProcess,
  ManagerSlot,
} from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager } from '../../domain/vocabulary.js';
import { problemLine } from '../../domain/yaml/tree.js';
import { manifestPlaces } from '../node-paths.js';
import type { HostProcess } from '../ports.js';
import type { HostedProcess } from './identities.js';
import { identityOf } from './identities.js';
import { lockRole } from './lock-role.js';
import type { ProcessSources } from './manifest-reader.js';
import { knownManifest, manifestConfig, runningConfig } from './manifest-reader.js';
import { type NodeObject, nameOf } from './objects.js';
import type { LiveReads, PodReading } from './readings.js';
import type { WorkloadReading } from './workload.js';

type Manifest = ManagerSlot['manifest'];

/** A node's processes with their settings, before it is known which Lease each holds. */
export interface HostedNode {
  readonly node: NodeObject;
  /** Null when the node did not answer. */
  readonly sources: ProcessSources | null;
  readonly processes: readonly HostedProcess[];
}

export function hostedNode(node: NodeObject, { policy, live, workload }: NodeContext): HostedNode {
  const snapshot = live.snapshots.get(nameOf(node)) ?? null;
  if (snapshot === null) return { node, sources: null, processes: [] };
  const { host, elections } = snapshot;
  const here = live.pods.filter((pod) => pod.node === nameOf(node));
  const sources: ProcessSources = {
    policy,
    snapshot,
    configMaps: workload.configMaps,
    workload: workload.manifest,
    images: new Map(here.map(({ manager, image }) => [manager, image])),
  };
  const processes = host.processes.map((process) => ({
    hostname: host.hostname,
    process,
    config: runningConfig(process, sources),
    elections: elections[process.manager],
  }));
  return { node, sources, processes };
}

/** Context needed to interpret any node. */
export interface NodeContext {
  readonly policy: MigrationPolicy;
  readonly live: LiveReads;
  readonly workload: WorkloadReading;
}

/** Context needed by each slot besides its own node. */
export interface SlotContext extends NodeContext {
  readonly everyone: readonly HostedProcess[];
}

const AWAY = 'its files and processes are unreachable';
const UNLISTED =
  'it runs static pods of the control plane, or its machine exists, and no control-plane Node has this name: the Node was deleted, or has lost its label';

/** One manager's slot on one node; everything about an unreachable node is unknown. */
export function slotOf(
  { node, sources, processes: all }: HostedNode,
  manager: Manager,
  around: SlotContext,
): ManagerSlot {
  if (sources === null) {
    const isListed = node.spec !== undefined || node.status !== undefined;
    return { manifest: { state: 'unknown', why: isListed ? AWAY : UNLISTED }, processes: [] };
  }
  const processes = all.filter(({ process }) => process.manager === manager);
  const pod = around.live.pods.find(
    (each) => each.node === nameOf(node) && each.manager === manager,
  );
  const workload = manager === 'ccm' ? placedBy(around.workload, node, pod) : null;
  return {
    manifest: manifestState(manager, { workload, runs: processes.length > 0 }, sources),
    processes: processes.map((hosted) => processOf(hosted, processes.length === 1, pod, around)),
  };
}

/**
 * The manifest that the CCM's workload is on this node; null where it places no pod. A DaemonSet of ours is bound to nodes by
 * a label; a foreign workload is present when its pod is.
 */
function placedBy(
  { observation, hash }: WorkloadReading,
  node: NodeObject,
  pod: PodReading | undefined,
): Manifest | null {
  const { source, owner, name, template } = observation;
  // The last pods of a removed workload: nothing restarts them, and their processes are observed on the host.
  if (source === 'none') return null;
  const ours = source === 'daemonSet' && owner === 'ours';
  const labelled = node.metadata?.labels?.[RUN_CCM_LABEL] === 'true';
  if (!(ours ? labelled : pod?.fromDaemonSet === true)) return null;
  return template === null
    ? { state: 'unknown', why: `the pod template of ${name} could not be read` }
    : { state: 'present', source, hash, config: template };
}

function processOf(
  hosted: HostedProcess,
  alone: boolean,
  pod: PodReading | undefined,
  { everyone, live }: SlotContext,
): ManagerProcess {
  const { process, config, elections } = hosted;
  const { leaderMigration } = config;
  return {
    pid: process.pid,
    startedAtMs: process.startedAtMs,
    podUid: pod?.uid ?? null,
    config,
    liveness: livenessOf(process, pod),
    restarts: pod?.restarts ?? 0,
    identity: identityOf(hosted, everyone, live.leases),
    locks: {
      main: alone ? lockRole(elections, config.mainLock.name) : 'unknown',
      migration:
        leaderMigration.kind === 'off'
          ? 'notTried'
          : alone && leaderMigration.kind === 'on'
            ? lockRole(elections, leaderMigration.lock.name)
            : 'unknown',
    },
  };
}

function livenessOf(
  { paused }: HostProcess,
  pod: PodReading | undefined,
): ManagerProcess['liveness'] {
  if (paused) return 'paused';
  return pod?.crashLooping === true ? 'crashLooping' : 'running';
}

/** What may start a manager on a node besides its files. */
interface Beside {
  readonly workload: Manifest | null;
  /** Whether a process of that manager runs on the host. */
  readonly runs: boolean;
}

/**
 * State of a manager's manifest from the file layout: in place wins; `next` without a manifest is an interrupted change;
 * `parked` was removed on purpose. A process that none of these starts makes the slot unknown: something that we cannot stop
 * would start it again.
 */
export function manifestState(
  manager: Manager,
  { workload, runs }: Beside,
  sources: ProcessSources,
): Manifest {
  const [manifest, next, parked] = manifestPlaces(manager).map((path) =>
    sources.snapshot.files.get(path),
  );
  const read = (content: string, as: (config: ManagerConfig) => Manifest): Manifest => {
    const result = knownManifest(content);
    if (result.kind === 'read') return as(manifestConfig(manager, result.manifest, sources));
    const [first] = result.problems;
    const why = first === undefined ? 'it cannot be read' : problemLine(first);
    return { state: 'unknown', why: `the ${manager} manifest: ${why}` };
  };
  if (manifest) {
    const { hash, content } = manifest;
    return read(content, (config) => ({ state: 'present', source: 'staticPod', hash, config }));
  }
  if (next) {
    const successorHash = next.hash;
    return read(next.content, (successor) => ({ state: 'interrupted', successorHash, successor }));
  }
  if (workload !== null) return workload;
  if (parked) {
    const { hash, content } = parked;
    return read(content, (config) => ({ state: 'parked', hash, config }));
  }
  if (!runs) return { state: 'absent' };
  return {
    state: 'unknown',
    why: `a ${manager} process runs, and neither a static pod manifest nor a known workload starts it. \`systemctl status PID\` on the node names its unit, \`systemctl disable --now UNIT\` stops it`,
  };
}
