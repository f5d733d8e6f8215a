import { COMPONENTS } from '../../domain/managers/controller-names.js';
import type {
  LeaseObservation,
  LockRole,
  ManagerConfig,
} from '../../domain/observation/observation.js';
import type { LeaseRef, Manager } from '../../domain/vocabulary.js';
import { MANAGERS, sameLease } from '../../domain/vocabulary.js';
import type { LeaseReading } from '../lease-reading.js';
import { hostnameOf } from '../lease-reading.js';
import type { HostProcess } from '../ports.js';
import { lockRole } from './lock-role.js';
import type { MachineReading } from './readings.js';

/** One process on one host, with what is needed to identify its Leases. */
export interface HostedProcess {
  readonly hostname: string;
  readonly process: HostProcess;
  readonly config: ManagerConfig;
  /** Election series of the manager on that host; they belong to this process only when it is the only one. */
  readonly elections: string | null;
}

/**
 * How far /proc start times (clock ticks since boot) and Lease times may disagree on one host.
 * Widens who counts as a possible holder, so it can only delay a release.
 */
export const START_TOLERANCE_MS = 2000;

/** Whether the process lived when the Lease was acquired, by the host's clock of now. */
function startedBefore(process: HostProcess, lease: LeaseReading): boolean {
  return (
    lease.acquiredAtMs === null || process.startedAtMs <= lease.acquiredAtMs + START_TOLERANCE_MS
  );
}

/** What speaks for or against a process as holder of a Lease, besides its start. */
interface HolderSigns {
  /** What its own metrics say. */
  readonly role: LockRole;
  /** Whether the Lease was seen unchanged for its whole duration. */
  readonly isSilent: boolean;
}

/**
 * Whether a process on the holder's host is certainly not the holder. A start after the acquisition is not enough: starts are
 * counted back from the host's clock of now, and one that was set forward since moves them behind a Lease that the process
 * holds. So its own metrics have to deny it as well. Where they say nothing, only silence does: a holder that runs and
 * cannot renew ends before its Lease expires, and one that is paused does not (P13).
 */
export function isRuledOut(
  process: HostProcess,
  lease: LeaseReading,
  { role, isSilent }: HolderSigns,
): boolean {
  if (startedBefore(process, lease)) return false;
  if (role === 'unknown') return isSilent && !process.paused;
  return role !== 'held';
}

/** The Leases that a process takes part in: its main lock, and the migration lock where Leader Migration is on. */
export function locksOf(config: ManagerConfig): readonly LeaseRef[] {
  return config.leaderMigration.kind === 'on'
    ? [config.mainLock, config.leaderMigration.lock]
    : [config.mainLock];
}

/**
 * The holder string that is proven to be this process's own, or null while it holds nothing (as far as known). Main lock: the
 * hostname matches and the process reports that it leads, whatever its start (`isRuledOut`); where metrics do not answer (paused,
 * or a build without them) it is presumed when it existed at acquireTime and no other process on that host qualifies.
 * Migration lock alone: only by metrics, as KCM and CCM of one host share the prefix (P8).
 */
export function identityOf(
  self: HostedProcess,
  everyone: readonly HostedProcess[],
  leases: readonly LeaseReading[],
): string | null {
  for (const lock of locksOf(self.config)) {
    const lease = leases.find((candidate) => sameLease(candidate, lock));
    if (lease !== undefined && isHolder(self, everyone, lease)) return lease.holder;
  }
  return null;
}

function isHolder(
  self: HostedProcess,
  everyone: readonly HostedProcess[],
  lease: LeaseReading,
): boolean {
  if (!couldHold(self, everyone, lease)) return false;
  const rivals = everyone.filter((other) => other !== self && couldHold(other, everyone, lease));
  const role = roleIn(self, everyone, lease);
  if (role === 'held') return !rivals.some((rival) => roleIn(rival, everyone, lease) === 'held');
  return role === 'unknown' && rivals.length === 0;
}

function roleIn(
  self: HostedProcess,
  everyone: readonly HostedProcess[],
  lease: LeaseReading,
): LockRole {
  const siblings = everyone.filter(
    (other) => other.hostname === self.hostname && other.config.manager === self.config.manager,
  );
  return siblings.length > 1 ? 'unknown' : lockRole(self.elections, lease.name);
}

/** Could this process be the recorded holder, as far as host, start time or metrics, and its locks tell? */
function couldHold(
  self: HostedProcess,
  everyone: readonly HostedProcess[],
  lease: LeaseReading,
): boolean {
  return (
    lease.holder !== '' &&
    self.hostname === hostnameOf(lease.holder) &&
    locksOf(self.config).some((lock) => sameLease(lock, lease)) &&
    (startedBefore(self.process, lease) || roleIn(self, everyone, lease) === 'held')
  );
}

/**
 * Main Leases of managers without another configured name. Source: cmd/kube-controller-manager and
 * k8s.io/cloud-provider options.
 */
export const DEFAULT_LOCKS: readonly LeaseRef[] = MANAGERS.map((manager) => ({
  namespace: 'kube-system',
  name: COMPONENTS[manager],
}));

/** The manager whose main lock a Lease is, by a configuration or by its default name; null for a migration lock. */
export function mainLockManager(
  lease: LeaseRef,
  configs: readonly ManagerConfig[],
): Manager | null {
  const byDefault = MANAGERS.find((manager) => lease.name === COMPONENTS[manager]);
  return configs.find(({ mainLock }) => sameLease(mainLock, lease))?.manager ?? byDefault ?? null;
}

/** Where holders can live: every control-plane host we know, and every machine that exists at the provider. */
export interface HostInventory {
  /** Hostname of each control-plane node; null where the host did not answer. */
  readonly hosts: readonly { readonly node: string; readonly hostname: string | null }[];
  readonly machines: readonly MachineReading[] | null;
  readonly processes: readonly HostedProcess[];
  /** Processes whose identity is known, by that identity. */
  readonly identities: ReadonlySet<string>;
}

/**
 * Whether the process that a Lease names still lives. `dead` needs proof: its host shows no process of that manager
 * that could be it (`isRuledOut`), or its machine is gone at the provider while the record is silent.
 * Expiry, pod objects and our own clock alone prove nothing (P13, P15, P16).
 */
export function holderStateOf(
  lease: LeaseReading,
  freshness: LeaseObservation['freshness'],
  manager: Manager | null,
  where: HostInventory,
): LeaseObservation['holderState'] {
  if (lease.holder === '') return 'none';
  if (where.identities.has(lease.holder)) return 'alive';
  const hostname = hostnameOf(lease.holder);
  const isSilent = freshness.kind === 'silent';
  if (where.hosts.some((host) => host.hostname === hostname)) {
    const suspects = where.processes.filter(
      (each) => each.hostname === hostname && (manager === null || each.config.manager === manager),
    );
    const isDead = suspects.every((each) => {
      const role = roleIn(each, where.processes, lease);
      return isRuledOut(each.process, lease, { role, isSilent });
    });
    return isDead ? 'dead' : 'unknown';
  }
  return isSilent && machineIsGone(hostname, where) ? 'dead' : 'unknown';
}

/**
 * True when each control-plane node and each machine of the provider is known to have another hostname. An unreachable node
 * or a machine that we cannot inspect could be the holder's: then it is not gone.
 */
function machineIsGone(hostname: string, where: HostInventory): boolean {
  if (where.machines === null) return false;
  if (where.hosts.some((host) => host.hostname === null || host.node === hostname)) return false;
  const hosts = new Set(where.hosts.map(({ node }) => node));
  return where.machines.every(
    (machine) =>
      machine.name !== hostname &&
      machine.node !== hostname &&
      (machine.state === 'ordered' || machine.state === 'booting' || isHost(machine, hosts)),
  );
}

function isHost(machine: MachineReading, hosts: ReadonlySet<string>): boolean {
  return machine.node !== null && hosts.has(machine.node);
}
