import { clusterOwner, isSharedForCertain } from '../ownership/owners.js';
import type { GateVerdict, Verdict } from './verdicts.js';
import { countedMembers } from '../observation/voting-members.js';
import type { ClusterObservation, ControlPlaneNode } from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import { addressLoss, servedIn, type Since } from './survival-gates.js';
import type { CloudController } from '../vocabulary.js';

/** What an observation is judged against. */
export interface GateReference {
  /** Controllers that the migration lock covers. */
  readonly controllers: readonly CloudController[];
  /** How the policy changes nodes: who replaces machines takes members of etcd away, and must know them all. */
  readonly nodes: MigrationPolicy['nodes'];
  /** How long no process has run the migrated controllers, as far as the caller observed, and the budget for it. */
  readonly orphanMs: number;
  readonly orphanBudgetMs: number;
  /** The inventory to compare with; null where there is no comparison. */
  readonly inventory: Since | null;
  /**
   * Processes that kept running with a lock that another one holds, by two or more observations; empty for a single
   * one.
   */
  readonly staleOwners?: readonly string[];
}

/** All of them, by name. */
export const HARD_GATES = [
  ...(['oneOwner', 'someOwner', 'quorum', 'noPausedManager', 'noCrashLoop'] as const),
  ...(['nodesReady', 'addressesKept', 'nodesKept'] as const),
] as const;

/**
 * The gates that no command can skip, judged on one observation. They fail closed: what could not be read is `error`, never
 * `pass`. Source of the set: invariants I1, I3, I4 and I9 of this project.
 */
export function hardGates(
  observation: ClusterObservation,
  reference: GateReference,
): readonly GateVerdict[] {
  return [
    oneOwner(observation, reference),
    someOwner(observation, reference),
    quorum(observation, reference),
    noPausedManager(observation),
    noCrashLoop(observation),
    nodesReady(observation),
    ...(reference.inventory === null ? [] : inventoryKept(observation, reference.inventory)),
  ];
}

/** Verdicts that stop a run: everything but `pass`. */
export function notPassed(verdicts: readonly GateVerdict[]): readonly GateVerdict[] {
  return verdicts.filter(({ verdict }) => verdict !== 'pass');
}

function oneOwner(
  observation: ClusterObservation,
  { controllers, staleOwners = [] }: GateReference,
): GateVerdict {
  const owner = clusterOwner(observation, controllers);
  const gate = hard('oneOwner', 'CCM3001');
  if (staleOwners.length > 0) {
    return gate(
      'fail',
      `kept running with a lock that another one holds: ${staleOwners.join(', ')}`,
    );
  }
  if (owner === 'both' || controllers.some((each) => isSharedForCertain(observation, each))) {
    return gate('fail', 'two managers run the same cloud controllers');
  }
  if (owner === 'unknown') return gate('error', 'who runs the cloud controllers could not be read');
  return gate('pass', `owner is ${owner}`);
}

function someOwner(
  observation: ClusterObservation,
  { controllers, orphanMs, orphanBudgetMs }: GateReference,
): GateVerdict {
  const gate = hard('someOwner', 'CCM3002');
  const owner = clusterOwner(observation, controllers);
  if (owner === 'unknown') return gate('error', 'who runs the cloud controllers could not be read');
  if (owner !== 'none') return gate('pass', `owner is ${owner}`);
  const seen = `no owner for ${seconds(orphanMs)}, budget ${seconds(orphanBudgetMs)}`;
  return gate(orphanMs > orphanBudgetMs ? 'fail' : 'pass', seen);
}

/** At most one control-plane node unavailable, and never fewer healthy voters than a majority. */
function quorum(observation: ClusterObservation, reference: GateReference): GateVerdict {
  const { nodes, etcd } = observation;
  const gate = hard('quorum', 'CCM3003');
  const away = judgedNodes(observation).filter(({ ready }) => ready !== 'yes');
  if (away.length > 1) return gate('fail', `not Ready: ${names(away)}`);
  if (etcd.topology === 'unknown' && Object.values(reference.nodes).includes('replace')) {
    return gate('error', 'it is unknown where etcd runs, so its members cannot be counted');
  }
  const voters = countedMembers(observation).filter(({ voter }) => voter !== 'no');
  const sick = voters.filter(({ healthy }) => healthy === 'no');
  if (voters.length - sick.length < Math.floor(voters.length / 2) + 1 && voters.length > 0) {
    return gate('fail', `etcd members not healthy: ${sick.map(({ name }) => name).join(', ')}`);
  }
  const unread = voters.filter(({ healthy }) => healthy === 'unknown');
  if (unread.length > 0) {
    return gate('error', `etcd health unknown: ${unread.map(({ name }) => name).join(', ')}`);
  }
  return gate('pass', `${String(nodes.length - away.length)} of ${String(nodes.length)} nodes`);
}

/** A stopped process acts as a second owner for its renew deadline when it wakes (10 s, P13). */
function noPausedManager({ nodes }: ClusterObservation): GateVerdict {
  const gate = hard('noPausedManager', 'CCM3008');
  const paused = withProcess(nodes, 'paused');
  return paused.length > 0
    ? gate('fail', `stopped by a signal: ${paused.join(', ')}`)
    : gate('pass', 'none is stopped');
}

function noCrashLoop({ nodes }: ClusterObservation): GateVerdict {
  const gate = hard('noCrashLoop', 'CCM3004');
  const crashing = withProcess(nodes, 'crashLooping');
  return crashing.length > 0
    ? gate('fail', `keeps crashing: ${crashing.join(', ')}`)
    : gate('pass', 'none');
}

function nodesReady(observation: ClusterObservation): GateVerdict {
  const gate = hard('nodesReady', 'CCM3005');
  const judged = judgedNodes(observation);
  const down = judged.filter(({ ready }) => ready === 'no');
  if (down.length > 0) return gate('fail', `not Ready: ${names(down)}`);
  const unknown = judged.filter(({ ready, reachable }) => ready === 'unknown' || !reachable);
  if (unknown.length > 0) return gate('error', `cannot be read: ${names(unknown)}`);
  return gate('pass', `${String(judged.length)} Ready`);
}

/**
 * A machine that is being added or removed is not Ready for a while. A run does that with one at a time, so one such Node does
 * not count; the Node of a machine that its provider calls failed is down as any other is.
 */
function judgedNodes({ nodes, machinesOrdered }: ClusterObservation): readonly ControlPlaneNode[] {
  const moving = new Set(
    machinesOrdered.filter(({ state }) => state !== 'failed').map(({ name }) => name),
  );
  const excused = nodes.find(
    ({ name, ready, reachable }) => moving.has(name) && (ready !== 'yes' || !reachable),
  );
  return nodes.filter((node) => node !== excused);
}

/** Nodes and load balancer addresses that existed must still exist. */
function inventoryKept({ inventory }: ClusterObservation, since: Since): readonly GateVerdict[] {
  const { inventory: before } = since;
  const lost = addressLoss(inventory, since);
  const addresses = hard('addressesKept', 'CCM3009');
  const workers = hard('nodesKept', 'CCM3010');
  return [
    lost === null
      ? addresses('pass', `${String(servedIn(inventory))} load balancers with an address`)
      : addresses('fail', lost),
    inventory.workers.total < before.workers.total
      ? workers(
          'fail',
          `${String(before.workers.total)} workers before, ${String(inventory.workers.total)} now`,
        )
      : workers('pass', `${String(inventory.workers.total)} workers`),
  ];
}

function withProcess(
  nodes: readonly ControlPlaneNode[],
  liveness: 'paused' | 'crashLooping',
): readonly string[] {
  return nodes.flatMap((node) =>
    [...node.kcm.processes, ...node.ccm.processes]
      .filter((process) => process.liveness === liveness)
      .map(({ config, pid }) => `${config.manager} of ${node.name} (pid ${String(pid)})`),
  );
}

function hard(
  gate: (typeof HARD_GATES)[number],
  code: string,
): (verdict: Verdict, detail: string) => GateVerdict {
  return (verdict, detail) => ({ gate, hardness: 'hard', verdict, detail, code });
}

function names(nodes: readonly ControlPlaneNode[]): string {
  return nodes.map(({ name }) => name).join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
