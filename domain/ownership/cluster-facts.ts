import type {
  ClusterObservation,
  ControlPlaneNode,
  LeaseObservation,
  ManagerConfig,
  ManagerSlot,
} from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { Manager, Owner, Target } from '../vocabulary.js';
import {
  type PlacedProcess,
  clusterOwner,
  findLease,
  holds,
  processKey,
  runningProcesses,
} from './owners.js';
import { type Protection, isOnWrongLock, protectionOf, standsBy } from './protection.js';

/** The state of a node's KCM, from its manifest or its processes, whichever is more dangerous. */
export type KcmRole = 'inTree' | 'external' | 'parked' | 'interrupted' | 'absent' | 'unknown';

/** One manager on one node, as rules see it. */
export interface ManagerFact {
  readonly node: string;
  readonly manager: Manager;
  readonly role: KcmRole;
  /** `present`: runs now or may start at any moment. */
  readonly present: boolean;
  readonly running: boolean;
  /** Its manifest is where a kubelet runs it, and the running process matches; other processes are about to end. */
  readonly inPlace: boolean;
  readonly leaderMigrationOn: boolean;
  /** Leader Migration is on somewhere with another lock or other names than the policy's. */
  readonly onWrongLock: boolean;
  readonly protection: Protection;
  readonly leads: boolean;
  readonly holdsMigration: boolean;
  readonly standsBy: boolean;
}

/** Everything that steps ask about, derived once from one observation. */
export interface ClusterFacts {
  readonly observation: ClusterObservation;
  readonly policy: MigrationPolicy;
  readonly target: Target;
  readonly owner: Owner;
  readonly kcms: readonly ManagerFact[];
  readonly ccms: readonly ManagerFact[];
  readonly inTree: readonly ManagerFact[];
  readonly external: readonly ManagerFact[];
  /** KCM manifests that are not in place and have no process. */
  readonly idle: readonly ManagerFact[];
  readonly presentCcms: readonly ManagerFact[];
  readonly kcmLeader: ManagerFact | undefined;
  readonly ccmLeader: ManagerFact | undefined;
  readonly migrationLease: LeaseObservation | undefined;
}

export function factsOf(
  observation: ClusterObservation,
  target: Target,
  policy: MigrationPolicy,
): ClusterFacts {
  const kcms = observation.nodes.map((node) => managerFact(observation, node, 'kcm', policy));
  const ccms = observation.nodes.map((node) => managerFact(observation, node, 'ccm', policy));
  return {
    observation,
    policy,
    target,
    owner: clusterOwner(observation, policy.lock.controllers),
    kcms,
    ccms,
    inTree: kcms.filter(({ role }) => role === 'inTree'),
    external: kcms.filter(({ role }) => role === 'external'),
    idle: kcms.filter(({ present }) => !present),
    presentCcms: ccms.filter(({ present }) => present),
    kcmLeader: kcms.find(({ leads }) => leads),
    ccmLeader: ccms.find(({ leads }) => leads),
    migrationLease: findLease(observation, policy.lock),
  };
}

function managerFact(
  observation: ClusterObservation,
  node: ControlPlaneNode,
  manager: Manager,
  policy: MigrationPolicy,
): ManagerFact {
  const slot = node[manager];
  const configs = effectiveConfigs(slot);
  const processes = slot.processes.map((process): PlacedProcess => ({ node, manager, process }));
  return {
    node: node.name,
    manager,
    role: roleOf(slot, configs),
    present: configs.length > 0 || slot.manifest.state === 'unknown',
    running: slot.processes.some(({ liveness }) => liveness === 'running'),
    inPlace: isInPlace(slot),
    leaderMigrationOn: configs.some(({ leaderMigration }) => leaderMigration.kind !== 'off'),
    onWrongLock: configs.some((config) => isOnWrongLock(config, policy)),
    protection: weakest(configs.map((config) => protectionOf(config, policy))),
    leads: processes.some(({ process }) => holds(observation, process, process.config.mainLock)),
    holdsMigration: processes.some(({ process }) => holds(observation, process, policy.lock)),
    standsBy: processes.some((placed) => standsBy(observation, placed, policy)),
  };
}

/** Effective settings on the node: those of running processes and those a restart would apply. */
export function effectiveConfigs(slot: ManagerSlot): readonly ManagerConfig[] {
  const running = slot.processes.map(({ config }) => config);
  return slot.manifest.state === 'present' ? [...running, slot.manifest.config] : running;
}

function isInPlace({ manifest, processes }: ManagerSlot): boolean {
  return (
    manifest.state === 'present' &&
    processes.every(({ config }) => config.cloudLoops === manifest.config.cloudLoops)
  );
}

function roleOf(slot: ManagerSlot, configs: readonly ManagerConfig[]): KcmRole {
  if (slot.manifest.state === 'unknown') return 'unknown';
  if (configs.some(({ cloudLoops }) => cloudLoops)) return 'inTree';
  if (configs.length > 0 || slot.manifest.state === 'present') return 'external';
  return slot.manifest.state;
}

function weakest(all: readonly Protection[]): Protection {
  if (all.includes('unknown')) return 'unknown';
  return all.includes('unprotected') ? 'unprotected' : 'protected';
}

/** KCM manifests with cloud loops that lie on a node, those in place first: a parked one was in place before. */
export function inTreeManifests({ nodes }: ClusterObservation): readonly ManagerConfig[] {
  const slots = nodes.map(({ kcm }) => kcm);
  return [...inState(slots, 'present'), ...inState(slots, 'parked')].filter(
    ({ cloudLoops }) => cloudLoops,
  );
}

function inState(
  slots: readonly ManagerSlot[],
  state: 'present' | 'parked',
): readonly ManagerConfig[] {
  return slots.flatMap(({ manifest }) =>
    (manifest.state === 'present' || manifest.state === 'parked') && manifest.state === state
      ? [manifest.config]
      : [],
  );
}

/**
 * The final state that policy asks for: one owner of the right kind, every KCM of that kind with its process, and the CCMs as
 * policy says. Source: step rules §6.
 */
export function isReached(facts: ClusterFacts): boolean {
  const { target, owner, kcms } = facts;
  if (owner !== target || !kcms.every(stands)) return false;
  return target === 'ccm' ? isMigrated(facts) : isBack(facts);
}

/** A parked manifest, or a process that still runs from one, is not a final state. */
function stands({ running, inPlace }: ManagerFact): boolean {
  return running && inPlace;
}

function isMigrated({ kcms, external, ccms, policy }: ClusterFacts): boolean {
  if (external.length !== kcms.length || !ccms.every(stands)) return false;
  // Strategy gap shares no lock, so the lock of a CCM found here does not matter.
  if (policy.strategy === 'gap') return true;
  return policy.disableLeaderMigration === 'never'
    ? ccms.every(({ protection }) => protection === 'protected')
    : !ccms.some(({ leaderMigrationOn }) => leaderMigrationOn);
}

function isBack({ kcms, inTree, presentCcms, observation, policy }: ClusterFacts): boolean {
  if (inTree.length !== kcms.length || presentCcms.length > 0) return false;
  if (observation.ccmWorkload.source !== 'none') return false;
  if (policy.strategy === 'gap') return true;
  return policy.leaderMigrationAfterRollback === 'keep'
    ? !inTree.some(({ onWrongLock }) => onWrongLock)
    : !inTree.some(({ leaderMigrationOn }) => leaderMigrationOn);
}

/**
 * KCMs that run one migrated controller at the same time without any CCM, each with the reason: the name of its main lock, or
 * that it has no leader election. Empty where at most one process runs each controller, or a CCM is among them, because that
 * one can be stopped.
 */
export function severalKcms(
  observation: ClusterObservation,
  { lock }: MigrationPolicy,
): readonly string[] {
  for (const controller of lock.controllers) {
    const running = runningProcesses(observation, controller) ?? [];
    if (running.length > 1 && running.every(({ manager }) => manager === 'kcm')) {
      return running.map((placed) => {
        const { leaderElect, mainLock } = placed.process.config;
        const how = leaderElect
          ? `main lock ${mainLock.namespace}/${mainLock.name}`
          : '--leader-elect=false';
        return `${processKey(placed)} (${how})`;
      });
    }
  }
  return [];
}
