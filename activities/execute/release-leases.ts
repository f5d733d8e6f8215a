import type { ReleaseSequence } from '../../domain/decision/step.js';
import type {
  ControlPlaneNode,
  LockRole,
  ManagerProcess,
} from '../../domain/observation/observation.js';
import type { LeaseRef, Manager } from '../../domain/vocabulary.js';
import { MANAGERS, sameLease } from '../../domain/vocabulary.js';
import { leaseTime } from '../fence/fence-record.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { objectName } from '../fence/find-effect.js';
import type { LeaseObject, LeaseReading } from '../lease-reading.js';
import { hostnameOf, readLease } from '../lease-reading.js';
import { objectChange } from '../object-change.js';
import { RELEASE_NOTE } from '../object-digest.js';
import { isRuledOut, locksOf } from '../observe/identities.js';
import { lockRole } from '../observe/lock-role.js';
import type { HostProcess, HostState, ObjectRef } from '../ports.js';
import { hostOf, metricsOf } from './manager-processes.js';
import type { EffectReport, StepSession } from './step-session.js';
import { observeUntil, note, ownershipLossOf, requestOptions, timingsOf } from './step-session.js';

/** A terminated process, with its proof. */
interface TerminatedManager {
  readonly mainLock: LeaseRef;
  /** Null when it took part in no migration lock. */
  readonly migrationLock: LeaseRef | null;
  /** Holder strings known to be its own while it was alive. */
  readonly identities: ReadonlySet<string>;
  /**
   * Checks again, right before a release, whether this recorded holder of one of its locks is dead; null without proof. The
   * text says how it was proven.
   */
  readonly prove: (lease: LeaseReading) => Promise<string | null>;
}

/**
 * Empties the Leases of a terminated process in the given order, each only with a fresh proof of death. For target CCM the
 * migration Lease goes first and its new holder is awaited, or a standby KCM retakes it (P17). A Lease that another process
 * holds, or whose holder is not proven dead, is left to expire.
 */
export async function releaseLeases(
  session: StepSession,
  terminated: TerminatedManager,
  order: ReleaseSequence,
): Promise<void> {
  if (order === 'none' || heldNothing(session, terminated)) return;
  const main = await currentLease(session, terminated.mainLock);
  // One process uses one identity for both of its locks (P8).
  const mainIsOurs = main !== null && (await isTerminated(terminated, main));
  const known = new Set([...terminated.identities, ...(mainIsOurs ? [main.holder] : [])]);
  const mainLease = mainIsOurs ? main : null;
  if (order === 'mainThenMigration') {
    await releaseMain(session, terminated, mainLease);
    await releaseMigration(session, terminated, known);
    return;
  }
  const released = await releaseMigration(session, terminated, known);
  if (released !== null) await awaitTaker(session, released);
  await releaseMain(session, terminated, mainLease);
}

/** True when the observation before the step shows each of its Leases held by another live process. */
function heldNothing({ before }: StepSession, terminated: TerminatedManager): boolean {
  const refs = [terminated.mainLock, terminated.migrationLock].filter((ref) => ref !== null);
  return refs.every((ref) => {
    const lease = before.leases.find((each) => sameLease(each, ref));
    if (lease === undefined) return ref !== terminated.mainLock;
    return lease.holderState === 'alive' && !terminated.identities.has(lease.holder);
  });
}

async function isTerminated(terminated: TerminatedManager, lease: LeaseReading): Promise<boolean> {
  return lease.holder !== '' && (await terminated.prove(lease)) !== null;
}

async function releaseMain(
  session: StepSession,
  terminated: TerminatedManager,
  lease: LeaseReading | null,
): Promise<void> {
  const proof = lease === null ? null : await terminated.prove(lease);
  if (lease !== null && proof !== null) await emptyLease(session, lease, proof);
}

async function releaseMigration(
  session: StepSession,
  terminated: TerminatedManager,
  identities: ReadonlySet<string>,
): Promise<LeaseRef | null> {
  const ref = terminated.migrationLock;
  const lease = ref === null ? null : await currentLease(session, ref);
  if (ref === null || lease === null || !identities.has(lease.holder)) return null;
  const proof = await terminated.prove(lease);
  if (proof === null) return null;
  await emptyLease(session, lease, proof);
  return ref;
}

/** The waiting candidate polls every 2 to 4.4 s by default; without one there is nothing to wait for. */
async function awaitTaker(session: StepSession, ref: LeaseRef): Promise<void> {
  const taken = await observeUntil(session, {
    what: `a new holder of Lease ${ref.name}`,
    withinMs: timingsOf(session).electionMs,
    snapshot: async () => {
      const lease = await currentLease(session, ref);
      return lease === null || lease.holder === '' ? null : lease;
    },
  });
  note(
    session,
    taken === null
      ? `no process took Lease ${ref.name} within the election time`
      : `Lease ${ref.name} held by ${taken.holder}`,
  );
}

export async function currentLease(
  session: StepSession,
  ref: LeaseRef,
): Promise<LeaseReading | null> {
  const found = await session.ports.api.get<LeaseObject>(
    leaseObjectRef(ref),
    requestOptions(session),
  );
  return found === null ? null : readLease(found.object);
}

/**
 * Empties one Lease as client-go does on a clean exit: no holder, one second, times now; the resourceVersion is the
 * precondition, so a Lease written meanwhile stays unchanged. A note stays on it: when our answer is lost, it shows the next
 * observation whether the new holder came by this release or by the Lease's expiry.
 */
export async function emptyLease(
  session: StepSession,
  lease: LeaseReading,
  proof: string,
): Promise<void> {
  const ref = leaseObjectRef(lease);
  const now = leaseTime(session.clock.nowMs());
  const { runId, epoch } = session.token;
  const released = `${runId} ${String(epoch)} ${lease.resourceVersion}`;
  await fencedMutation(
    session,
    {
      verb: 'patch',
      object: objectName(ref),
      ...objectChange(heldLease(lease), heldLease({ holder: '', released })),
      proof,
    },
    () =>
      session.ports.api.mergePatch(
        ref,
        {
          metadata: {
            resourceVersion: lease.resourceVersion,
            annotations: { [RELEASE_NOTE]: released },
          },
          spec: {
            holderIdentity: '',
            leaseDurationSeconds: 1,
            renewTime: now,
            acquireTime: now,
          },
        },
        requestOptions(session),
      ),
  );
  note(session, `Lease ${lease.name} released after proof (${proof})`);
}

/** The part of a Lease that its digest covers. */
function heldLease({ holder, released }: Pick<LeaseReading, 'holder' | 'released'>): LeaseObject {
  return {
    kind: 'Lease',
    metadata: { annotations: { [RELEASE_NOTE]: released } },
    spec: { holderIdentity: holder },
  };
}

export function leaseObjectRef({ namespace, name }: LeaseRef): ObjectRef {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
}

/** A host as it was read just now, and of which managers a process could be the holder. */
export interface HostEvidence {
  readonly node: string;
  readonly host: HostState;
  readonly managers: readonly Manager[];
  /** Holder strings of processes that were observed before the step and are no longer there. */
  readonly ended: ReadonlySet<string>;
}

/**
 * Whether the host itself proves that a Lease's holder is dead: it carries the host's name, and each process of these
 * managers on the host, in any pod or container, is ruled out as the holder.
 */
export async function deathOnHost(
  session: StepSession,
  { node, host, managers, ended }: HostEvidence,
  lease: LeaseReading,
): Promise<string | null> {
  if (hostnameOf(lease.holder) !== host.hostname) return null;
  const isSilent = wasSilent(session, lease);
  for (const manager of managers) {
    const suspects = host.processes.filter((process) => process.manager === manager);
    if (suspects.length === 0) continue;
    const role = await roleOf(session, { node, manager, suspects, ended }, lease);
    if (!suspects.every((each) => isRuledOut(each, lease, { role, isSilent }))) return null;
  }
  const boot = new Date(host.bootTimeMs).toISOString();
  return `host ${host.hostname} (boot ${host.bootId} at ${boot}) runs no ${managers.join(' or ')} that started before ${acquired(lease)}`;
}

interface Suspects extends Pick<HostEvidence, 'node' | 'ended'> {
  readonly manager: Manager;
  readonly suspects: readonly HostProcess[];
}

/** What they say of a Lease; with two of them no answer tells whose it is. A known holder that has ended is none of them. */
async function roleOf(
  session: StepSession,
  { node, manager, suspects, ended }: Suspects,
  { holder, name }: LeaseReading,
): Promise<LockRole> {
  if (ended.has(holder)) return 'notTried';
  if (suspects.length > 1) return 'unknown';
  const { text } = await metricsOf(session, node, manager);
  return lockRole(text, name);
}

/** Whether the observation before the step saw this very reading unchanged for its whole duration. */
function wasSilent({ before }: StepSession, lease: LeaseReading): boolean {
  const seen = before.leases.find((each) => sameLease(each, lease));
  return seen?.resourceVersion === lease.resourceVersion && seen.freshness.kind === 'silent';
}

function acquired({ acquiredAtMs }: LeaseReading): string {
  return acquiredAtMs === null ? 'now' : new Date(acquiredAtMs).toISOString();
}

/** A manager whose process ended on a host that we can inspect. Null when it ran no process before the step. */
function terminatedOnHost(
  session: StepSession,
  node: ControlPlaneNode,
  manager: Manager,
): TerminatedManager | null {
  const processes = node[manager].processes;
  const [first] = processes;
  if (first === undefined) return null;
  const prove = async (lease: LeaseReading): Promise<string | null> => {
    const host = await hostOf(session, node.name);
    const gone = processes.filter(({ pid }) => host.processes.every((each) => each.pid !== pid));
    const ended = identitiesOf(gone);
    return deathOnHost(session, { node: node.name, host, managers: [manager], ended }, lease);
  };
  return { ...locksAndNames(processes, first), prove };
}

/** What follows the proven end of a manager's process: its Leases are released; reports whether it owned controllers. */
export async function releaseEnded(
  session: StepSession,
  node: ControlPlaneNode,
  manager: Manager,
  host: HostState,
  order: ReleaseSequence,
): Promise<EffectReport> {
  const lost = ownershipLossOf(session, node.name, [manager], host.nowMs);
  const terminated = terminatedOnHost(session, node, manager);
  if (terminated !== null) await releaseLeases(session, terminated, order);
  return lost;
}

/** What shows, right before a release, that a machine is deleted at the provider and its managers are silent. */
interface GoneMachine {
  /** Asks the provider again. */
  readonly stillThere: () => Promise<boolean>;
  /** Leases that were watched and not renewed since the machine was gone; only these readings may be emptied. */
  readonly silent: readonly LeaseReading[];
}

/** A manager of a machine that was deleted at the provider. */
export function terminatedWithMachine(
  node: ControlPlaneNode,
  manager: Manager,
  { stillThere, silent }: GoneMachine,
): TerminatedManager | null {
  const processes = node[manager].processes;
  const [first] = processes;
  const hostname = node.hostname ?? node.name;
  if (first === undefined) return null;
  const isWatched = (lease: LeaseReading): boolean =>
    silent.some((each) => sameLease(each, lease) && each.resourceVersion === lease.resourceVersion);
  const prove = async (lease: LeaseReading): Promise<string | null> => {
    if (hostnameOf(lease.holder) !== hostname || !isWatched(lease)) return null;
    if (await stillThere()) return null;
    return `machine ${node.name} is deleted at its provider, and the Lease is silent`;
  };
  return { ...locksAndNames(processes, first), prove };
}

/** The Leases of a node's managers that its host holds now. What a live process elsewhere held before the step is not asked for. */
export async function leasesHeldBy(
  session: StepSession,
  node: ControlPlaneNode,
): Promise<readonly LeaseReading[]> {
  const hostname = node.hostname ?? node.name;
  const locks = MANAGERS.flatMap((manager) =>
    node[manager].processes.flatMap(({ config }) => locksOf(config)),
  );
  const elsewhere = session.before.leases.filter(
    ({ holder, holderState }) => holderState === 'alive' && hostnameOf(holder) !== hostname,
  );
  const asked = locks.filter(
    (lock, at) =>
      locks.findIndex((each) => sameLease(each, lock)) === at &&
      !elsewhere.some((lease) => sameLease(lease, lock)),
  );
  const leases = await Promise.all(asked.map((lock) => currentLease(session, lock)));
  return leases
    .filter((lease) => lease !== null)
    .filter(({ holder }) => hostnameOf(holder) === hostname);
}

function locksAndNames(
  processes: readonly ManagerProcess[],
  first: ManagerProcess,
): Pick<TerminatedManager, 'mainLock' | 'migrationLock' | 'identities'> {
  const withLock = processes.find(({ config }) => config.leaderMigration.kind === 'on');
  const migration = withLock?.config.leaderMigration;
  return {
    mainLock: first.config.mainLock,
    migrationLock: migration?.kind === 'on' ? migration.lock : null,
    identities: identitiesOf(processes),
  };
}

function identitiesOf(processes: readonly ManagerProcess[]): ReadonlySet<string> {
  return new Set(processes.flatMap(({ identity }) => identity ?? []));
}
