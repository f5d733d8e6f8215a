import { clusterConfigurationFollows } from '../../domain/manifests/cluster-configuration.js';
import type { ManagerManifest } from '../../domain/manifests/manifest.js';
import { memoizeByKey } from '../../domain/memoize.js';
import type {
  EtcdMember,
  EtcdObservation,
  KubeadmObservation,
} from '../../domain/observation/observation.js';
import type { Tristate } from '../../domain/vocabulary.js';
import { manifestPath } from '../node-paths.js';
import type { NodeSnapshot } from '../ports.js';
import { manifestAt } from './manifest-reader.js';
import type { PodObject } from './objects.js';
import { conditionOf } from './read-live.js';
import type { KubeadmReading, MachineReading } from './readings.js';

/**
 * Versions of all API servers, lowest first, without `v`: from their pods where every node shows one, else also from the
 * answer of `/version` (one server behind a shared address may be another than the last).
 */
export function apiServerVersions(
  pods: readonly PodObject[],
  nodes: number,
  serverVersion: string,
): readonly string[] {
  const servers = pods.filter((pod) => componentOf(pod) === 'kube-apiserver');
  const seen = servers.map((pod) => imageVersion(pod)).filter((version) => version !== '');
  const complete = seen.length >= nodes && seen.length > 0;
  const all = complete || serverVersion === '' ? seen : [...seen, serverVersion];
  return [...new Set(all)].sort(byVersion);
}

function byVersion(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let part = 0; part < 3; part += 1) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : 1;
}

/** `1.30.14` of `registry.k8s.io/kube-apiserver:v1.30.14`; empty for a digest or another tag. */
function imageVersion(pod: PodObject): string {
  const image = pod.spec?.containers?.[0]?.image ?? '';
  return /:v(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? '';
}

/** Other observed facts about nodes that may have an etcd member. */
export interface EtcdContext {
  /** Null where no provider answers for machines. */
  readonly machines: readonly MachineReading[] | null;
  /** Whether kubeadm is configured with an external etcd. */
  readonly external: Tristate;
  /** Names of the control-plane Nodes. */
  readonly nodes: readonly string[];
}

/**
 * Stacked where etcd pods run beside the API servers, or where kubeadm says so although none is seen. Without any, external where
 * kubeadm says so, or where a machine provider answers for members by contract (it refuses with `EtcdUnsafe`); else unknown.
 * Nodes without a pod are counted by `countedMembers`. A member is a known voter
 * only where the machine provider reports its machine ready (docs/contracts/machines-api.md: then its member is a
 * started voter).
 */
export function etcdOf(pods: readonly PodObject[], around: EtcdContext): EtcdObservation {
  const { machines, external } = around;
  const etcd = pods.filter((pod) => componentOf(pod) === 'etcd');
  if (etcd.length === 0 && external !== 'no') {
    const elsewhere = external === 'yes' || machines !== null;
    return { topology: elsewhere ? 'external' : 'unknown', members: [] };
  }
  return {
    topology: 'stacked',
    members: etcd
      .filter((pod) => !hasLeft(pod, around))
      .map((pod) => memberOf(pod, machines))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/**
 * Whether it is only the leftover pod of a member removed with its machine. The pods of a deleted Node stay as they were last
 * seen, Ready too, until the KCM collects them 40 s later or more (pkg/controller/podgc, quarantineTime). A missing Node
 * proves nothing; a machine missing at the provider does: by contract the provider removes the member first.
 */
function hasLeft(pod: PodObject, { machines, nodes }: EtcdContext): boolean {
  const node = pod.spec?.nodeName;
  if (node === undefined || machines === null || nodes.includes(node)) return false;
  return !machines.some((machine) => machine.node === node || machine.name === node);
}

function memberOf(pod: PodObject, machines: readonly MachineReading[] | null): EtcdMember {
  const node = pod.spec?.nodeName ?? null;
  const machine = machines?.find((each) => node !== null && each.node === node);
  return {
    node,
    name: node ?? pod.metadata?.name ?? '',
    voter: machine?.state === 'ready' ? 'yes' : 'unknown',
    healthy: conditionOf(pod.status?.conditions, 'Ready'),
    leader: false,
  };
}

function componentOf(pod: PodObject): string {
  return pod.metadata?.labels?.['component'] ?? '';
}

/** Each pair compared once: comparing edits two documents. */
const follows = memoizeByKey(
  ([text, manifest]: readonly [string, ManagerManifest]) =>
    clusterConfigurationFollows(text, manifest),
  (pair) => JSON.stringify(pair),
);

/**
 * Whether kubeadm's ClusterConfiguration matches the KCM manifests; otherwise the next `kubeadm upgrade`
 * would undo our edits. While nodes differ from each other it cannot follow all of them.
 */
export function observeKubeadm(
  { configMap, clusterConfiguration }: KubeadmReading,
  snapshots: readonly (NodeSnapshot | null)[],
): KubeadmObservation {
  if (configMap !== 'present') return { configMap, followsManifests: 'unknown' };
  const manifests = snapshots.flatMap((snapshot) =>
    snapshot === null ? [] : manifestAt(snapshot, manifestPath('kcm')),
  );
  const answers = manifests.map((each) => follows([clusterConfiguration, each]));
  if (answers.includes('unknown')) return { configMap, followsManifests: 'unknown' };
  return { configMap, followsManifests: answers.includes('no') ? 'no' : 'yes' };
}
