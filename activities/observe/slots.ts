import { RUN_CCM_LABEL } from '../../domain/manifests/paths.js';
import type {
  ManagerProcess,
  ManagerSlot,
  ManifestState,
} from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Manager } from '../../domain/vocabulary.js';
import type { LeaseReading } from '../lease-reading.js';
import type { HostProcess } from '../ports.js';
import type { HostedProcess } from './identities.js';
import { identityOf } from './identities.js';
import { lockRole } from './kubelet-flags.js';
import type { ManifestReader } from './manifest-reader.js';
import { manifestReaderFor } from './manifest-reader.js';
import type { NodeAccessReading, NodeReading, PodReading, SlotFiles } from './readings.js';
import type { WorkloadReading } from './workload.js';

/** A node's processes with their settings, before it is known which Lease each holds. */
export interface HostedNode {
  readonly reading: NodeReading;
  readonly processes: readonly HostedProcess[];
}

export function hostedNode(reading: NodeReading, around: NodeContext): HostedNode {
  const { access } = reading;
  if (access === null) return { reading, processes: [] };
  const reader = readerOf(reading, around);
  return {
    reading,
    processes: access.host.processes.map((process) => ({
      hostname: access.host.hostname,
      process,
      config: reader.running(process),
      metrics: access.metrics[process.manager],
    })),
  };
}

function readerOf({ name, access }: NodeReading, around: NodeContext): ManifestReader {
  const pods = around.pods.filter(({ node }) => node === name);
  return manifestReaderFor({
    policy: around.policy,
    slots: access?.files ?? null,
    migrationFiles: access?.migrationFiles ?? new Map(),
    cloudConfigHashes: access?.cloudConfigHashes ?? new Map(),
    configMaps: around.workload.configMaps,
    workload: around.workload.manifest,
    images: new Map(pods.map(({ manager, image }) => [manager, image])),
  });
}

/** Context needed to interpret any node. */
export interface NodeContext {
  readonly policy: MigrationPolicy;
  readonly pods: readonly PodReading[];
  readonly workload: WorkloadReading;
}

/** Context needed by each slot besides its own node. */
export interface SlotContext extends NodeContext {
  readonly everyone: readonly HostedProcess[];
  readonly leases: readonly LeaseReading[];
}

/** One manager's slot on one node; everything about an unreachable node is unknown. */
export function slotOf(node: HostedNode, manager: Manager, around: SlotContext): ManagerSlot {
  const { access } = node.reading;
  if (access === null) {
    return { manifest: { state: 'unknown', why: 'the node could not be reached' }, processes: [] };
  }
  const processes = node.processes.filter(({ process }) => process.manager === manager);
  const pod = around.pods.find(
    (each) => each.node === node.reading.name && each.manager === manager,
  );
  return {
    manifest: manifestState(
      {
        manager,
        files: access.files[manager],
        workload: manager === 'ccm' ? placeOf(node.reading, pod, around) : { kind: 'notHere' },
        runs: processes.length > 0,
      },
      readerOf(node.reading, around),
    ),
    processes: processes.map((hosted) => processOf(hosted, access, pod, around)),
  };
}

/** A DaemonSet of ours is bound to nodes by a label; a foreign workload is present when its pod is. */
function placeOf(
  { labels }: NodeReading,
  pod: PodReading | undefined,
  { workload }: SlotContext,
): WorkloadPlace {
  const { source, owner } = workload.observation;
  // The last pods of a removed workload: nothing restarts them, and their processes are observed on the host.
  if (source === 'none') return { kind: 'notHere' };
  const ours = source === 'daemonSet' && owner === 'ours';
  const here = ours ? labels[RUN_CCM_LABEL] === 'true' : pod?.fromDaemonSet === true;
  if (!here) return { kind: 'notHere' };
  return { kind: 'here', state: workloadState(workload) };
}

function workloadState({ observation, hash }: WorkloadReading): ManifestState {
  const { source, name, template } = observation;
  if (template === null || source === 'none') {
    return { state: 'unknown', why: `the pod template of ${name} could not be read` };
  }
  return { state: 'present', source, hash, config: template };
}

function processOf(
  hosted: HostedProcess,
  access: NodeAccessReading,
  pod: PodReading | undefined,
  { everyone, leases }: SlotContext,
): ManagerProcess {
  const { process, config, metrics } = hosted;
  const alone =
    access.host.processes.filter(({ manager }) => manager === process.manager).length === 1;
  const { leaderMigration } = config;
  return {
    pid: process.pid,
    startedAtMs: process.startedAtMs,
    podUid: pod?.uid ?? null,
    config,
    liveness: livenessOf(process, pod),
    restarts: pod?.restarts ?? 0,
    identity: identityOf(hosted, everyone, leases),
    locks: {
      main: alone ? lockRole(metrics, config.mainLock.name) : 'unknown',
      migration:
        leaderMigration.kind === 'off'
          ? 'notTried'
          : alone && leaderMigration.kind === 'on'
            ? lockRole(metrics, leaderMigration.lock.name)
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

/** Whether the CCM's DaemonSet places a pod on this node, and with what; null where no such workload is. */
type WorkloadPlace =
  { readonly kind: 'notHere' } | { readonly kind: 'here'; readonly state: ManifestState };

/** Evidence about one manager's slot on one node. */
export interface SlotEvidence {
  readonly manager: Manager;
  readonly files: SlotFiles;
  readonly workload: WorkloadPlace;
  /** Whether a process of that manager runs on the host. */
  readonly runs: boolean;
}

/**
 * State of a manager's manifest from the file layout: in place wins; `next` without a manifest is an interrupted change;
 * `parked` was removed on purpose. A process that none of these starts makes the slot unknown: something that we cannot stop
 * would start it again.
 */
export function manifestState(evidence: SlotEvidence, reader: ManifestReader): ManifestState {
  const { manifest, next, parked } = evidence.files;
  if (manifest.kind === 'text') {
    return reader.read(evidence.manager, manifest.text, (config) => ({
      state: 'present',
      source: 'staticPod',
      hash: manifest.hash,
      config,
    }));
  }
  if (next.kind === 'text') {
    return reader.read(evidence.manager, next.text, (successor) => ({
      state: 'interrupted',
      successorHash: next.hash,
      successor,
    }));
  }
  if (evidence.workload.kind === 'here') return evidence.workload.state;
  if (parked.kind === 'text') {
    return reader.read(evidence.manager, parked.text, (config) => ({
      state: 'parked',
      hash: parked.hash,
      config,
    }));
  }
  if (!evidence.runs) return { state: 'absent' };
  return {
    state: 'unknown',
    why: `a ${evidence.manager} process runs, and neither a static pod manifest nor a known workload starts it. \`systemctl status PID\` on the node names its unit, \`systemctl disable --now UNIT\` stops it`,
  };
}
