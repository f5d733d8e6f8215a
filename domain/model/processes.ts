import type {
  ClusterObservation,
  ControlPlaneNode,
  LeaseObservation,
  ManagerConfig,
  ManagerProcess,
  ManagerSlot,
} from '../observation/observation.js';
import { sideOf } from '../ownership/owners.js';
import type { Manager } from '../vocabulary.js';

/** A new process: it waits for its main lock and has not tried the migration lock. */
export function startedProcess(
  observation: ClusterObservation,
  config: ManagerConfig,
): ManagerProcess {
  return {
    pid: nextPid(observation),
    startedAtMs: observation.observedAtMs,
    podUid: null,
    config,
    liveness: 'running',
    restarts: 0,
    identity: null,
    locks: { main: 'waiting', migration: 'notTried' },
  };
}

function nextPid(observation: ClusterObservation): number {
  const pids = observation.nodes.flatMap(({ kcm, ccm }) =>
    [...kcm.processes, ...ccm.processes].map(({ pid }) => pid),
  );
  return Math.max(1000, ...pids) + 1;
}

/** Ends the processes of a manager on a node, all or those that `ends` names. Their Leases remain and still name them. */
export function endProcesses(
  observation: ClusterObservation,
  nodeName: string,
  manager: Manager,
  ends: (process: ManagerProcess) => boolean = () => true,
): ClusterObservation {
  const ended = observation.nodes
    .filter(({ name }) => name === nodeName)
    .flatMap((node) => node[manager].processes)
    .filter(ends);
  return orphanLeases(
    withSlot(observation, nodeName, manager, (slot) => ({
      ...slot,
      processes: slot.processes.filter((process) => !ended.includes(process)),
    })),
    ended,
  );
}

function orphanLeases(
  observation: ClusterObservation,
  ended: readonly ManagerProcess[],
): ClusterObservation {
  const identities = ended.map(({ identity }) => identity);
  return mapLeases(observation, (lease) =>
    identities.includes(lease.holder)
      ? {
          ...lease,
          holderState: 'dead',
          freshness: { kind: 'silent', sinceMs: observation.observedAtMs },
        }
      : lease,
  );
}

/** What client-go does on a clean exit: it empties the holder, so that the Lease can be taken at the next poll. */
export function releaseDeadLeases(observation: ClusterObservation): ClusterObservation {
  return mapLeases(observation, (lease) =>
    lease.holderState === 'dead' ? { ...lease, holder: '', holderState: 'none' } : lease,
  );
}

export function mapLeases(
  observation: ClusterObservation,
  change: (lease: LeaseObservation) => LeaseObservation,
): ClusterObservation {
  return { ...observation, leases: observation.leases.map(change) };
}

export function withManifest(
  observation: ClusterObservation,
  nodeName: string,
  manager: Manager,
  manifest: ManagerSlot['manifest'],
): ClusterObservation {
  return withSlot(observation, nodeName, manager, (slot) => ({ ...slot, manifest }));
}

/** Changes one manager's slot on one node and recomputes the node's side. */
export function withSlot(
  observation: ClusterObservation,
  nodeName: string,
  manager: Manager,
  change: (slot: ManagerSlot) => ManagerSlot,
): ClusterObservation {
  return withNode(observation, nodeName, (node) => {
    const kcm = manager === 'kcm' ? change(node.kcm) : node.kcm;
    const ccm = manager === 'ccm' ? change(node.ccm) : node.ccm;
    return { ...node, kcm, ccm, side: sideOf(kcm, ccm) };
  });
}

function withNode(
  observation: ClusterObservation,
  nodeName: string,
  change: (node: ControlPlaneNode) => ControlPlaneNode,
): ClusterObservation {
  return {
    ...observation,
    nodes: observation.nodes.map((node) => (node.name === nodeName ? change(node) : node)),
  };
}
