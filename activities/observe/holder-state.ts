import type { LeaseObservation } from '../../domain/observation.js';
import type { Manager } from '../../domain/vocabulary.js';
import type { HostedProcess } from './identities.js';
import { startedBefore } from './identities.js';
import type { LeaseReading } from './lease-reading.js';
import { hostnameOf } from './lease-reading.js';
import type { MachineReading } from './readings.js';

/** Where holders can live: every control-plane host we know, and every machine that exists at the provider. */
export interface Whereabouts {
  /** Hostname of each control-plane node; null where the host did not answer. */
  readonly hosts: readonly { readonly node: string; readonly hostname: string | null }[];
  readonly machines: readonly MachineReading[] | null;
  readonly processes: readonly HostedProcess[];
  /** Processes whose identity is known, by that identity. */
  readonly identities: ReadonlySet<string>;
}

/**
 * Whether the process that a Lease names still lives. `dead` needs proof: its host shows no process of that manager
 * that started before the Lease was acquired, or its machine is gone at the provider while the record is silent.
 * Expiry, pod objects and our own clock prove nothing (P13, P15, P16).
 */
export function holderStateOf(
  lease: LeaseReading,
  freshness: LeaseObservation['freshness'],
  manager: Manager | null,
  where: Whereabouts,
): LeaseObservation['holderState'] {
  if (lease.holder === '') return 'none';
  if (where.identities.has(lease.holder)) return 'alive';
  const hostname = hostnameOf(lease.holder);
  if (where.hosts.some((host) => host.hostname === hostname)) {
    return hasSuspect(lease, manager, where) ? 'unknown' : 'dead';
  }
  return freshness.kind === 'silent' && machineIsGone(hostname, where) ? 'dead' : 'unknown';
}

function hasSuspect(lease: LeaseReading, manager: Manager | null, where: Whereabouts): boolean {
  const hostname = hostnameOf(lease.holder);
  return where.processes.some(
    (candidate) =>
      candidate.hostname === hostname &&
      (manager === null || candidate.config.manager === manager) &&
      startedBefore(candidate.process, lease),
  );
}

/**
 * True when each control-plane node and each machine of the provider is known to have another hostname. An unreachable node
 * or a machine that we cannot inspect could be the holder's: then it is not gone.
 */
function machineIsGone(hostname: string, where: Whereabouts): boolean {
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
