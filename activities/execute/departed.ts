import type { ControlPlaneNode, ManagerProcess } from '../../domain/observation.js';
import type { Manager } from '../../domain/vocabulary.js';
import { startedBefore } from '../observe/identities.js';
import type { LeaseReading } from '../observe/lease-reading.js';
import { hostnameOf } from '../observe/lease-reading.js';
import type { HostState } from '../ports.js';
import type { Departed } from './release-leases.js';
import type { StepSession } from './step-session.js';
import { requestOptions } from './step-session.js';

/**
 * Whether the host itself proves that a Lease's holder is dead: it carries the host's name, and no process of these managers
 * on the host, in any pod or container, existed when the Lease was acquired.
 */
export function deathOnHost(
  host: HostState,
  managers: readonly Manager[],
  lease: LeaseReading,
): string | null {
  if (hostnameOf(lease.holder) !== host.hostname) return null;
  const suspects = host.processes.filter(
    (process) => managers.includes(process.manager) && startedBefore(process, lease),
  );
  if (suspects.length > 0) return null;
  const boot = new Date(host.bootTimeMs).toISOString();
  return `host ${host.hostname} (boot ${host.bootId} at ${boot}) runs no ${managers.join(' or ')} that started before ${acquired(lease)}`;
}

function acquired({ acquiredAtMs }: LeaseReading): string {
  return acquiredAtMs === null ? 'now' : new Date(acquiredAtMs).toISOString();
}

/** A manager whose process ended on a host that we can inspect. Null when it ran no process before the step. */
export function departedFromHost(
  session: StepSession,
  node: ControlPlaneNode,
  manager: Manager,
): Departed | null {
  const processes = node[manager].processes;
  const [first] = processes;
  if (first === undefined) return null;
  const prove = async (lease: LeaseReading): Promise<string | null> =>
    deathOnHost(
      await session.ports.processes.host(node.name, requestOptions(session)),
      [manager],
      lease,
    );
  return {
    ...locksAndNames(processes, first),
    who: `${manager} of ${node.name}`,
    proveMain: prove,
    proveSelf: prove,
  };
}

/** A manager of a machine that was deleted at the provider; `stillThere` checks again. */
export function departedWithMachine(
  node: ControlPlaneNode,
  manager: Manager,
  stillThere: () => Promise<boolean>,
): Departed | null {
  const processes = node[manager].processes;
  const [first] = processes;
  const hostname = node.hostname ?? node.name;
  if (first === undefined) return null;
  const prove = async (lease: LeaseReading): Promise<string | null> => {
    if (hostnameOf(lease.holder) !== hostname || (await stillThere())) return null;
    return `machine ${node.name} is deleted at its provider`;
  };
  return {
    ...locksAndNames(processes, first),
    who: `${manager} of ${node.name}`,
    proveMain: prove,
    proveSelf: prove,
  };
}

function locksAndNames(
  processes: readonly ManagerProcess[],
  first: ManagerProcess,
): Pick<Departed, 'mainLock' | 'migrationLock' | 'identities'> {
  const withLock = processes.find(({ config }) => config.leaderMigration.kind === 'on');
  const migration = withLock?.config.leaderMigration;
  return {
    mainLock: first.config.mainLock,
    migrationLock: migration?.kind === 'on' ? migration.lock : null,
    identities: new Set(processes.flatMap(({ identity }) => (identity === null ? [] : [identity]))),
  };
}
