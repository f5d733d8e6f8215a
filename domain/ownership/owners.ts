import { isSwitchedOn } from '../managers/controller-list.js';
import { memoizeByIdentity } from '../memoize.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  LeaseObservation,
  LockRole,
  ManagerConfig,
  ManagerProcess,
  ManagerSlot,
} from '../observation/observation.js';
import type { CloudController, LeaseRef, Manager, Owner, Side } from '../vocabulary.js';
import { sameLease } from '../vocabulary.js';

/** A process and the node it runs on. */
export interface PlacedProcess {
  readonly node: ControlPlaneNode;
  readonly manager: Manager;
  readonly process: ManagerProcess;
}

/** Name of a process in traces and for people, like `kcm:cp-1#812`. */
export function processKey({ node, manager, process }: PlacedProcess): string {
  return `${manager}:${node.name}#${String(process.pid)}`;
}

/** Every observed manager process, nodes in order, KCM before CCM. */
export function managerProcesses(observation: ClusterObservation): readonly PlacedProcess[] {
  return observation.nodes.flatMap(processesOn);
}

/** Memoised: called many times for the same node. */
const processesOn = memoizeByIdentity((node: ControlPlaneNode): readonly PlacedProcess[] => [
  ...node.kcm.processes.map((process) => ({ node, manager: 'kcm' as const, process })),
  ...node.ccm.processes.map((process) => ({ node, manager: 'ccm' as const, process })),
]);

/**
 * The processes that run a controller now, as measured: the holder of a main lock runs what is not migrated,
 * and what is migrated only while the same identity also holds its migration lock. Null when a part that
 * decides it is unreadable. A paused process counts: it continues when it wakes.
 * Source: kubernetes/controller-manager pkg/leadermigration, real runs P1, P7, P13, P14.
 */
export function runningProcesses(
  observation: ClusterObservation,
  controller: CloudController,
): readonly PlacedProcess[] | null {
  return runningAmong(observation, managerProcesses(observation), controller);
}

function runningAmong(
  observation: ClusterObservation,
  all: readonly PlacedProcess[],
  controller: CloudController,
  may = mayRun,
): readonly PlacedProcess[] | null {
  // Where no control-plane node is visible, its managers run somewhere else.
  if (observation.nodes.length === 0 || observation.nodes.some(hidesProcesses)) return null;
  if (heldByStrangers(observation).length > 0) return null;
  const placed = all.filter(({ process }) => may(process.config, controller));
  if (placed.some(({ process }) => holderIsHidden(observation, process))) return null;
  const answers = placed.map((entry) => ({ entry, runs: runs(observation, entry, controller) }));
  if (answers.some(({ runs: answer }) => answer === 'unknown')) return null;
  return answers.filter(({ runs: answer }) => answer === 'yes').map(({ entry }) => entry);
}

/**
 * Whether two processes certainly run a controller, whatever else is hidden: what cannot be seen could only be a third one. Each
 * runs it without any lock, or holds the locks for it.
 */
export function isSharedForCertain(
  observation: ClusterObservation,
  controller: CloudController,
): boolean {
  const certain = managerProcesses(observation).filter(
    (entry) =>
      mayRun(entry.process.config, controller) && runs(observation, entry, controller) === 'yes',
  );
  return certain.length > 1;
}

/** Who runs one controller. */
export function ownerOf(observation: ClusterObservation, controller: CloudController): Owner {
  return oneWordFor(runningProcesses(observation, controller));
}

function oneWordFor(running: readonly PlacedProcess[] | null): Owner {
  if (running === null) return 'unknown';
  const managers = new Set(running.map(({ manager }) => manager));
  if (running.length > 1) return 'both';
  return managers.has('kcm') ? 'kcm' : managers.has('ccm') ? 'ccm' : 'none';
}

/**
 * The owner of all controllers that the migration lock covers: `unknown` and `both` win over everything, two managers with
 * one controller each are `both`, and `none` loses to an owner. A controller that is switched off everywhere is not migrated
 * and does not count. If all are switched off, the manager that would run them counts as owner: nothing is orphaned, and the
 * managers still change one after the other.
 */
export function clusterOwner(
  observation: ClusterObservation,
  controllers: readonly CloudController[],
): Owner {
  const all = managerProcesses(observation);
  const used = controllers.filter((controller) => isInUse(observation, controller));
  const owners = new Set(
    (used.length > 0 ? used : controllers).map((controller) =>
      oneWordFor(
        runningAmong(observation, all, controller, used.length > 0 ? mayRun : hasCloudLoops),
      ),
    ),
  );
  if (owners.has('unknown')) return 'unknown';
  if (owners.has('both') || (owners.has('kcm') && owners.has('ccm'))) return 'both';
  if (owners.has('kcm')) return 'kcm';
  return owners.has('ccm') ? 'ccm' : 'none';
}

function hasCloudLoops({ cloudLoops }: ManagerConfig): boolean {
  return cloudLoops;
}

/**
 * Whether any known manager may run a controller: one that runs, would be started, is parked, or existed at the start. A
 * controller that all of them have switched off (routes, `--controllers`) needs no owner.
 */
export function isInUse(observation: ClusterObservation, controller: CloudController): boolean {
  const configs = knownConfigs(observation);
  return configs.length === 0 || configs.some((config) => mayRun(config, controller));
}

function knownConfigs({ nodes, baseline }: ClusterObservation): readonly ManagerConfig[] {
  return [...nodes.flatMap(configsOn), ...(baseline === null ? [] : [baseline.kcm])];
}

const configsOn = memoizeByIdentity((node: ControlPlaneNode): readonly ManagerConfig[] =>
  [node.kcm, node.ccm].flatMap(({ manifest, processes }) => [
    ...processes.map(({ config }) => config),
    ...(manifest.state === 'present' || manifest.state === 'parked' ? [manifest.config] : []),
    ...(manifest.state === 'interrupted' ? [manifest.successor] : []),
  ]),
);

/** Whether a manager with these settings runs a controller at all, once it has the locks for it. */
export function mayRun(config: ManagerConfig, controller: CloudController): boolean {
  if (!isSwitchedOn(config.controllers, controller)) return false;
  if (controller === 'nodeipam') return config.manager === 'kcm' || config.cloudLoops;
  return config.cloudLoops && (controller !== 'route' || config.routes);
}

function hidesProcesses(node: ControlPlaneNode): boolean {
  return (
    !node.reachable ||
    node.kcm.manifest.state === 'unknown' ||
    node.ccm.manifest.state === 'unknown'
  );
}

/** The holder of a main Lease that is neither an observed process nor proven dead could run anything. */
function holderIsHidden(observation: ClusterObservation, process: ManagerProcess): boolean {
  if (!process.config.leaderElect) return false;
  return findLease(observation, process.config.mainLock)?.holderState === 'unknown';
}

function runs(
  observation: ClusterObservation,
  { process }: PlacedProcess,
  controller: CloudController,
): 'yes' | 'no' | 'unknown' {
  const { config } = process;
  if (!config.leaderElect) return 'yes';
  if (!holds(observation, process, config.mainLock)) return 'no';
  if (config.leaderMigration.kind === 'unreadable') return 'unknown';
  if (config.leaderMigration.kind === 'off') return 'yes';
  const disposition = config.leaderMigration.dispositions[controller];
  if (disposition === 'nonMigrated') return 'yes';
  if (disposition === 'unowned') return 'no';
  const lock = migrationLockOf(process);
  return lock !== null && holds(observation, process, lock) ? 'yes' : 'no';
}

/**
 * Stale owners: processes that still run a controller although another process owns it. Their own metrics show every lock
 * that decides it as held, while a Lease names another live process as the holder of one. This is a holder that was paused
 * and woke up: it acts until its renew deadline is over (10 s, P13). An observation is not a single moment, so one alone
 * proves nothing: a lock that changes hands between its two reads looks the same.
 */
export function staleOwnersOf(
  observation: ClusterObservation,
  controller: CloudController,
): readonly PlacedProcess[] {
  const all = managerProcesses(observation);
  return all.filter(({ process }) => {
    if (process.liveness === 'paused' || !mayRun(process.config, controller)) return false;
    const locks = locksFor(process, controller);
    if (locks.some(({ role }) => role !== 'held')) return false;
    return locks.some(({ ref }) => isAnothers(observation, all, process, ref));
  });
}

interface Lock {
  readonly ref: LeaseRef;
  readonly role: LockRole;
}

/** The locks that decide whether this process runs the controller; none where no lock does, or where it is unknown. */
function locksFor(process: ManagerProcess, controller: CloudController): readonly Lock[] {
  const { config, locks } = process;
  if (!config.leaderElect || config.leaderMigration.kind === 'unreadable') return [];
  const main = { ref: config.mainLock, role: locks.main };
  if (config.leaderMigration.kind === 'off') return [main];
  const disposition = config.leaderMigration.dispositions[controller];
  if (disposition === 'unowned') return [];
  const ref = migrationLockOf(process);
  return disposition === 'nonMigrated' || ref === null
    ? [main]
    : [main, { ref, role: locks.migration }];
}

function isAnothers(
  observation: ClusterObservation,
  all: readonly PlacedProcess[],
  process: ManagerProcess,
  ref: LeaseRef,
): boolean {
  if (findLease(observation, ref) === undefined || holds(observation, process, ref)) return false;
  return all.some((other) => other.process !== process && holds(observation, other.process, ref));
}

export function findLease(
  observation: ClusterObservation,
  ref: LeaseRef,
): LeaseObservation | undefined {
  return observation.leases.find((lease) => sameLease(lease, ref));
}

/**
 * Whether this very process holds the Lease: its proven holderIdentity equals the recorded holder.
 * A process keeps one identity for both of its locks (kubernetes/cloud-provider app/controllermanager.go).
 */
export function holds(
  observation: ClusterObservation,
  process: ManagerProcess,
  ref: LeaseRef,
): boolean {
  const lease = findLease(observation, ref);
  return lease !== undefined && process.identity !== null && lease.holder === process.identity;
}

/**
 * Leases whose holder is unknown and not proven silent: a manager on a worker, outside the cluster or on a control plane that
 * we do not see. A removed machine or CCM leaves a silent Lease behind, whose holder runs nothing.
 */
export function heldByStrangers({ leases }: ClusterObservation): readonly LeaseObservation[] {
  return leases.filter(
    ({ holderState, freshness }) => holderState === 'unknown' && freshness.kind !== 'silent',
  );
}

/** For people: which Lease it is and who holds it. */
export function holderText({ namespace, name, holder }: LeaseObservation): string {
  return `Lease ${namespace}/${name} is held by ${holder}`;
}

/** The migration lock that a process takes part in; null when Leader Migration is off or unreadable. */
export function migrationLockOf(process: ManagerProcess): LeaseRef | null {
  const { leaderMigration } = process.config;
  return leaderMigration.kind === 'on' ? leaderMigration.lock : null;
}

/**
 * The side of a node, from what runs and would run on it; never from its version, since N and N+1 may be equal.
 * An in-tree KCM makes it `source`, beside a CCM `mixed`; a KCM without loops makes it `target`.
 */
export function sideOf(kcm: ManagerSlot, ccm: ManagerSlot): Side {
  if (kcm.manifest.state === 'unknown' || ccm.manifest.state === 'unknown') return 'unknown';
  const hasCcm = isThere(ccm);
  const loops = [
    ...kcm.processes.map(({ config }) => config),
    ...(kcm.manifest.state === 'present' ? [kcm.manifest.config] : []),
  ].map(({ cloudLoops }) => cloudLoops);
  if (loops.includes(true)) return hasCcm || loops.includes(false) ? 'mixed' : 'source';
  return hasCcm || loops.length > 0 ? 'target' : 'unknown';
}

function isThere({ manifest, processes }: ManagerSlot): boolean {
  return manifest.state === 'present' || processes.length > 0;
}
