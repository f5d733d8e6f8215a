import { isSwitchedOn } from '../controllers/controller-list.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  ManagerConfig,
  ManagerProcess,
} from '../observation.js';
import { onceEach } from '../once-each.js';
import type { CloudController, Manager, Owner } from '../vocabulary.js';
import { findLease, heldByStrangers, holds, migrationLockOf } from './leases.js';

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
const processesOn = onceEach((node: ControlPlaneNode): readonly PlacedProcess[] => [
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

const configsOn = onceEach((node: ControlPlaneNode): readonly ManagerConfig[] =>
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
