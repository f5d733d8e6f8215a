import type { ManagerWant, StepEffect } from '../decision/step.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  ManagerSlot,
} from '../observation/observation.js';
import { inTreeManifests } from '../ownership/cluster-facts.js';
import type { MigrationPolicy } from '../policy.js';
import { sameLease } from '../vocabulary.js';
import { afterAWhile } from './elections.js';
import {
  endProcesses,
  mapLeases,
  releaseDeadLeases,
  startedProcess,
  withManifest,
  withSlot,
} from './processes.js';
import { wantedConfig } from './wanted-config.js';

/**
 * The model of a step's effect: what the next observation will show, before any election. Leases of terminated holders
 * remain, still naming them, or empty where the step releases them. Elections: `elections.ts`.
 */
export function predictEffect(
  observation: ClusterObservation,
  effect: StepEffect,
  policy: MigrationPolicy,
): ClusterObservation {
  if (effect.kind === 'changeManager') {
    return released(changeManager(observation, effect.node, effect.want, policy), effect.release);
  }
  if (effect.kind === 'finishManifest') {
    return finishManifest(observation, effect.node, effect.manager);
  }
  if (effect.kind === 'endPausedManager') {
    return endPaused(observation, effect.node, effect.manager);
  }
  if (effect.kind === 'addMachine') {
    return addMachine(observation, effect.machine, effect.side, policy);
  }
  if (effect.kind === 'removeMachine') {
    return released(removeMachine(observation, effect.node), effect.release);
  }
  if (effect.kind === 'verify' || effect.kind === 'probeBalancer') return observation;
  return applyObjects(observation, effect, policy);
}

type NodeEffect =
  'changeManager' | 'finishManifest' | 'endPausedManager' | 'addMachine' | 'removeMachine';

/** Effects on API objects only. */
function applyObjects(
  observation: ClusterObservation,
  effect: Exclude<StepEffect, { kind: NodeEffect | 'verify' | 'probeBalancer' }>,
  policy: MigrationPolicy,
): ClusterObservation {
  switch (effect.kind) {
    case 'recordBaseline':
      return recordedBaseline(observation);
    case 'setAccess':
      return applyAccess(observation, effect, policy);
    case 'releaseLease':
      return mapLeases(observation, (lease) =>
        sameLease(lease, effect.lease) && lease.holder === effect.holder
          ? { ...lease, holder: '', holderState: 'none' }
          : lease,
      );
    case 'deleteMigrationLease':
      return {
        ...observation,
        leases: observation.leases.filter((lease) => !sameLease(lease, policy.lock)),
      };
    case 'removeCcmWorkload':
      return {
        ...observation,
        ccmWorkload: { source: 'none', owner: 'none', name: '', template: null },
      };
    case 'switchKubelets':
      return switchedKubelets(observation, effect.to);
    case 'awaitElection':
      return afterAWhile(observation);
  }
}

function released(observation: ClusterObservation, release: string): ClusterObservation {
  return release === 'none' ? observation : releaseDeadLeases(observation);
}

function changeManager(
  observation: ClusterObservation,
  node: string,
  want: ManagerWant,
  policy: MigrationPolicy,
): ClusterObservation {
  const ended = endProcesses(observation, node, want.manager);
  const before = observation.nodes.find(({ name }) => name === node)?.[want.manager].manifest;
  if (want.role === 'stopped') return withManifest(ended, node, 'ccm', { state: 'absent' });
  if (want.role === 'parked') {
    const config = before?.state === 'present' || before?.state === 'parked' ? before.config : null;
    return config === null
      ? withManifest(ended, node, 'kcm', { state: 'absent' })
      : withManifest(ended, node, 'kcm', { state: 'parked', hash: '', config });
  }
  const config = wantedConfig(want, observation, policy);
  const source = want.manager === 'ccm' ? policy.ccm.deployAs : 'staticPod';
  return withSlot(ended, node, want.manager, () => ({
    manifest: { state: 'present', source, hash: '', config },
    processes: [startedProcess(ended, config)],
  }));
}

/**
 * The process whose manifest the interrupted change removed may still be terminating; it is gone when its successor
 * starts.
 */
function finishManifest(
  observation: ClusterObservation,
  nodeName: string,
  manager: 'kcm' | 'ccm',
): ClusterObservation {
  const manifest = observation.nodes.find(({ name }) => name === nodeName)?.[manager].manifest;
  if (manifest?.state !== 'interrupted') return observation;
  const { successor, successorHash } = manifest;
  const ended = endProcesses(observation, nodeName, manager);
  return withSlot(ended, nodeName, manager, () => ({
    manifest: { state: 'present', source: 'staticPod', hash: successorHash, config: successor },
    processes: [startedProcess(ended, successor)],
  }));
}

/** Where a manifest is in place, the kubelet starts a new process from it. */
function endPaused(
  observation: ClusterObservation,
  nodeName: string,
  manager: 'kcm' | 'ccm',
): ClusterObservation {
  const ended = endProcesses(
    observation,
    nodeName,
    manager,
    ({ liveness }) => liveness === 'paused',
  );
  return withSlot(ended, nodeName, manager, (slot) => {
    const { manifest, processes } = slot;
    if (manifest.state !== 'present' || processes.length > 0) return slot;
    return { ...slot, processes: [startedProcess(ended, manifest.config)] };
  });
}

const EMPTY_SLOT: ManagerSlot = { manifest: { state: 'absent' }, processes: [] };

function addMachine(
  observation: ClusterObservation,
  machine: string,
  side: 'source' | 'target',
  policy: MigrationPolicy,
): ClusterObservation {
  if (observation.nodes.some(({ name }) => name === machine)) return observation;
  const node: ControlPlaneNode = {
    name: machine,
    hostname: machine,
    side: 'unknown',
    kubeletVersion: side === 'target' ? policy.target.version : policy.source.version,
    kubeletCloudProvider: side === 'target' ? 'external' : 'inTree',
    ready: 'yes',
    cordoned: false,
    providerId: null,
    reachable: true,
    kcm: EMPTY_SLOT,
    ccm: EMPTY_SLOT,
  };
  const joined: ClusterObservation = {
    ...observation,
    nodes: [...observation.nodes, node].sort((a, b) => (a.name < b.name ? -1 : 1)),
    machinesOrdered: observation.machinesOrdered.filter(({ name }) => name !== machine),
    etcd: withMember(observation, machine),
  };
  return side === 'source'
    ? changeManager(
        joined,
        machine,
        { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
        policy,
      )
    : changeManager(
        changeManager(joined, machine, { manager: 'kcm', role: 'external' }, policy),
        machine,
        { manager: 'ccm', role: 'running', leaderMigration: 'on' },
        policy,
      );
}

function withMember({ etcd }: ClusterObservation, node: string): ClusterObservation['etcd'] {
  if (etcd.topology !== 'stacked') return etcd;
  const member = { node, name: node, voter: 'yes', healthy: 'yes', leader: false } as const;
  return { ...etcd, members: [...etcd.members, member] };
}

function removeMachine(observation: ClusterObservation, name: string): ClusterObservation {
  const ended = endProcesses(endProcesses(observation, name, 'kcm'), name, 'ccm');
  return {
    ...ended,
    nodes: ended.nodes.filter((node) => node.name !== name),
    etcd: { ...ended.etcd, members: ended.etcd.members.filter(({ node }) => node !== name) },
  };
}

/** Access after the change: a grant gives both managers the right, its removal takes it from both. */
function applyAccess(
  observation: ClusterObservation,
  { access, want }: Extract<StepEffect, { kind: 'setAccess' }>,
  policy: MigrationPolicy,
): ClusterObservation {
  const before = observation.access;
  if (access === 'ccmAccess') {
    const workload =
      want === 'present' && policy.ccm.deployAs === 'daemonSet'
        ? preparedWorkload(observation)
        : observation.ccmWorkload;
    return { ...observation, access: { ...before, ccmAccess: want }, ccmWorkload: workload };
  }
  const may = want === 'present' ? 'yes' : 'no';
  return {
    ...observation,
    access: { ...before, leaseGrant: want, mayUseMigrationLease: { kcm: may, ccm: may } },
  };
}

function preparedWorkload({ ccmWorkload }: ClusterObservation): ClusterObservation['ccmWorkload'] {
  if (ccmWorkload.source !== 'none') return ccmWorkload;
  return {
    source: 'daemonSet',
    owner: 'ours',
    name: 'cloud-controller-manager',
    template: ccmWorkload.template,
  };
}

/** The KCM of the first node whose manifest has loops, and how many nodes there are. */
function recordedBaseline(observation: ClusterObservation): ClusterObservation {
  const [kcm] = inTreeManifests(observation);
  if (kcm === undefined) return observation;
  return {
    ...observation,
    baseline: { digest: '', kcm, controlPlaneNodes: observation.nodes.length },
  };
}

/** The cluster after all worker kubelets have switched to the other provider. */
function switchedKubelets(
  observation: ClusterObservation,
  to: 'inTree' | 'external',
): ClusterObservation {
  const { workers } = observation.inventory;
  const counts =
    to === 'external'
      ? { kubeletInTree: 0, kubeletExternal: workers.total }
      : { kubeletExternal: 0, kubeletInTree: workers.total };
  return {
    ...observation,
    inventory: { ...observation.inventory, workers: { ...workers, ...counts } },
  };
}
