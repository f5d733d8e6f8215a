import type { RunTimings } from '../domain/policy.js';
import { SYSTEM_NAMESPACE } from '../domain/manifests/paths.js';
import type { UnreadSource } from '../domain/preflight/preflight-check.js';
import type { Manager } from '../domain/vocabulary.js';
import { unreadSources } from './gates/gate-sources.js';
import { BASELINE_NAME, readBaseline } from './observe/baseline.js';
import type { Snapshot, ObserveInput } from './contract.js';
import { quietScope, realClock, type ActivityClock } from './dependencies.js';
import { manifestPath, nextPath, parkedPath } from './node-paths.js';
import { deniedToGranted } from './observe/read-access.js';
import { observeSettled } from './observe/collect-snapshot.js';
import type { ConfigMapObject } from './observe/objects.js';
import { readBeside, type BesideReadings } from './observe/read-beside.js';
import { CLUSTER_CONFIGURATION, KUBEADM_CONFIG } from './observe/read-cached.js';
import { probeRefusal } from './probes/probe-service.js';
import type { CallOptions, ClusterPorts } from './ports.js';

/** Current texts that a step would edit; absent ones are left out. */
export interface ManagerTexts {
  readonly kcm?: string;
  readonly ccm?: string;
}

/** An observation for people: without Temporal, without a fence, without any change. */
export interface Inspection {
  readonly snapshot: Snapshot;
  /** By node: the manifest in place, else its successor, else the parked one. Unreachable nodes are left out. */
  readonly manifests: Readonly<Record<string, ManagerTexts>>;
  /** KCM manifest from before the first step; null when none was recorded. */
  readonly baseline: string | null;
  /** kubeadm's ClusterConfiguration; null where there is none. */
  readonly clusterConfiguration: string | null;
  /** Rights that the CCM lacks despite its grant; null where nothing is granted yet, or we may not ask. */
  readonly ccmDenied: readonly string[] | null;
  /** What the gates of the policy need to read and cannot. */
  readonly gatesUnread: readonly UnreadSource[];
  /** Why the Service of a probe would not be created; null where it would, or where the policy has no probe. */
  readonly probeRefused: string | null;
  /** What preflight needs besides the observation; what could not be read is left out. */
  readonly beside: BesideReadings;
}

export interface InspectionInput extends Pick<ObserveInput, 'cluster' | 'policy' | 'timings'> {
  /** Left out where only the existing state matters. */
  readonly materials?: { readonly ccmManifest: string };
  readonly signal?: AbortSignal;
  readonly clock?: ActivityClock;
}

/** Observes a cluster for `check` and `plan`, and reads the texts that `plan` diffs its changes against. */
export async function inspectCluster(
  ports: ClusterPorts,
  { cluster, policy, timings, materials, signal, clock = realClock }: InspectionInput,
): Promise<Inspection> {
  const noRun = { workflowId: '', runId: '', actor: '', reason: '', planDigest: '' };
  const input = { ...noRun, cluster, policy, timings, firstSeen: [] };
  const scope = quietScope(signal);
  const collected = await observeSettled(ports, clock, scope, input);
  const { observation, firstSeen } = collected;
  const options = optionsOf(timings, signal);
  const reachable = observation.nodes.filter((node) => node.reachable);
  const texts = await Promise.all(
    reachable.map(async ({ name }) => [name, await managerTexts(ports, name, options)] as const),
  );
  const baselineRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: SYSTEM_NAMESPACE };
  const rights = { policy, ...materials, observation };
  const { nodeObjects } = collected.live;
  const wanted = { nodes: observation.nodes, nodeObjects, lockName: policy.lock.name };
  const [baseline, kubeadm, ccmDenied, beside, probeRefused, gatesUnread] = await Promise.all([
    ports.api.get<ConfigMapObject>({ ...baselineRef, name: BASELINE_NAME }, options),
    ports.api.get<ConfigMapObject>(KUBEADM_CONFIG, options),
    deniedToGranted(ports.api, rights, options),
    readBeside(ports, wanted, options),
    probeRefusal(ports.api, policy.probes, options),
    unreadSources(ports, policy, observation, {
      ...{ timeoutMs: timings.requestMs, signal: scope.signal, now: () => clock.nowMs() },
    }),
  ]);
  return {
    snapshot: { observation, firstSeen },
    manifests: Object.fromEntries(texts),
    baseline: readBaseline(baseline?.object ?? null)?.manifest ?? null,
    clusterConfiguration: kubeadm?.object.data?.[CLUSTER_CONFIGURATION] ?? null,
    ...{ ccmDenied, beside, probeRefused, gatesUnread },
  };
}

function optionsOf({ requestMs }: RunTimings, signal: AbortSignal | undefined): CallOptions {
  return { timeoutMs: requestMs, ...(signal === undefined ? {} : { signal }) };
}

async function managerTexts(
  ports: ClusterPorts,
  node: string,
  options: CallOptions,
): Promise<ManagerTexts> {
  const [kcm, ccm] = await Promise.all([
    managerText(ports, node, 'kcm', options),
    managerText(ports, node, 'ccm', options),
  ]);
  return { ...(kcm === null ? {} : { kcm }), ...(ccm === null ? {} : { ccm }) };
}

async function managerText(
  { files }: ClusterPorts,
  node: string,
  manager: Manager,
  options: CallOptions,
): Promise<string | null> {
  for (const path of [manifestPath(manager), nextPath(manager), parkedPath(manager)]) {
    const file = await files.read(node, path, options);
    if (file !== null) return file.content;
  }
  return null;
}
