import type { StepEffect } from '../../domain/decision/step.js';
import { MANAGERS, type Manager, sameLease } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import type { LeaseReading } from '../lease-reading.js';
import { hostnameOf } from '../lease-reading.js';
import { hostOf } from './manager-processes.js';
import { currentLease, deathOnHost, emptyLease } from './release-leases.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NO_OWNERSHIP_LOSS, observeUntil } from './step-session.js';

type Release = Extract<StepEffect, { kind: 'releaseLease' }>;

/**
 * Empties a Lease whose holder was proven dead, with a fresh proof right before: on its host, or by its machine that
 * the provider no longer has. `NoProof` when there is none; with another holder by now there is nothing to do.
 */
export async function releaseProvenLease(
  session: StepSession,
  { lease, holder }: Release,
): Promise<EffectReport> {
  const now = await currentLease(session, lease);
  if (now === null || now.holder !== holder || holder === '') return NO_OWNERSHIP_LOSS;
  const proof = await proofOf(session, { lease, holder, now });
  if (proof === null) {
    throw failure(
      'NoProof',
      `holder ${holder} of Lease ${lease.namespace}/${lease.name} is not proven dead: wait until the Lease expires, ` +
        'or restore access to its node, then `ccm-migrate retry`',
    );
  }
  if (await isRenewed(session, now)) {
    throw failure(
      'NoProof',
      `holder ${holder} of Lease ${lease.namespace}/${lease.name} renews it, though its host shows no such process: ` +
        'a manager runs there under an unknown process name. Stop it there, then `ccm-migrate retry`',
    );
  }
  await emptyLease(session, now, proof);
  return NO_OWNERSHIP_LOSS;
}

/** At default timings (15/10/2) a live holder writes twice in a third of the lease duration. */
const SHARE_OF_LEASE = 3;
const READS = 5;

/** Whether the recorded holder of this Lease writes it: the process table is searched for known manager names only. */
async function isRenewed(session: StepSession, lease: LeaseReading): Promise<boolean> {
  return (await renewedAmong(session, [lease])) !== null;
}

/**
 * Watches Leases for a third of their duration. The first that its holder writes meanwhile, or null; one that another holder
 * takes is watched no longer.
 */
export async function renewedAmong(
  session: StepSession,
  leases: readonly LeaseReading[],
): Promise<LeaseReading | null> {
  const longest = Math.max(...leases.map(({ leaseDurationSeconds }) => leaseDurationSeconds));
  const withinMs = (longest * 1000) / SHARE_OF_LEASE;
  let left = leases;
  const seen = await observeUntil(session, {
    what: `the silence of Lease ${leases.map(({ name }) => name).join(', ')}`,
    withinMs,
    everyMs: withinMs / READS,
    snapshot: async () => {
      const now = await Promise.all(left.map((lease) => currentLease(session, lease)));
      const isSame = (at: number): boolean =>
        now[at]?.resourceVersion === left[at]?.resourceVersion;
      const renewed = left.find((lease, at) => !isSame(at) && now[at]?.holder === lease.holder);
      left = left.filter((_lease, at) => isSame(at));
      return renewed === undefined && left.length > 0 ? null : { renewed: renewed ?? null };
    },
  });
  return seen?.renewed ?? null;
}

interface Question extends Pick<Release, 'lease' | 'holder'> {
  readonly now: LeaseReading;
}

async function proofOf(
  session: StepSession,
  { lease, holder, now }: Question,
): Promise<string | null> {
  const { nodes, leases } = session.before;
  const node = nodes.find(({ hostname }) => hostname === hostnameOf(holder));
  if (node === undefined) {
    const seen = leases.find((each) => sameLease(each, lease));
    const gone = seen?.holder === holder && seen.holderState === 'dead';
    return gone ? 'its machine is deleted at the provider and the Lease is silent' : null;
  }
  const host = await hostOf(session, node.name);
  const onHost = { node: node.name, host, ended: NONE_KNOWN };
  return (
    (await deathOnHost(session, { ...onHost, managers: MANAGERS }, now)) ??
    (await deathOnHost(session, { ...onHost, managers: possibleHolders(session, lease) }, now))
  );
}

/** The step ends no process, so that it knows none by its end. */
const NONE_KNOWN: ReadonlySet<string> = new Set();

/** Where only one manager uses this Lease as its main lock, the proof about that one is enough. */
function possibleHolders({ before }: StepSession, lease: Release['lease']): readonly Manager[] {
  const isMainOf = (manager: Manager): boolean =>
    before.nodes.some((node) =>
      node[manager].processes.some(({ config }) => sameLease(config.mainLock, lease)),
    );
  const managers = MANAGERS.filter(isMainOf);
  return managers.length === 1 ? managers : MANAGERS;
}
