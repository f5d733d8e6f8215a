import type { StepEffect } from '../../domain/step.js';
import { sameLease, type Manager } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import { hostnameOf } from '../observe/lease-reading.js';
import { deathOnHost } from './departed.js';
import { hostOf } from './manager-processes.js';
import { currentLease, emptyLease } from './release-leases.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NOTHING_LOST } from './step-session.js';

type Release = Extract<StepEffect, { kind: 'releaseLease' }>;

/**
 * Empties a Lease whose holder was proven dead, with a fresh proof right before: on its host, or by its machine that
 * the provider no longer has. `NoProof` when it cannot be had; another holder by now is no work left.
 */
export async function releaseLease(
  session: StepSession,
  { lease, holder }: Release,
): Promise<EffectReport> {
  const now = await currentLease(session, lease);
  if (now === null || now.holder !== holder || holder === '') return NOTHING_LOST;
  const proof = await proofOf(session, { lease, holder, now });
  if (proof === null) {
    throw failure(
      'NoProof',
      `holder ${holder} of Lease ${lease.namespace}/${lease.name} is not proven dead: wait out the Lease, ` +
        'or bring back access to its node, then `ccm-migrate retry`',
    );
  }
  await emptyLease(session, now, proof);
  return NOTHING_LOST;
}

interface Question extends Pick<Release, 'lease' | 'holder'> {
  readonly now: Parameters<typeof deathOnHost>[2];
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
  return (
    deathOnHost(host, ['kcm', 'ccm'], now) ??
    deathOnHost(host, possibleHolders(session, lease), now)
  );
}

/** Where one manager alone has this Lease as its main lock, the proof about that one is enough. */
function possibleHolders({ before }: StepSession, lease: Release['lease']): readonly Manager[] {
  const isMainOf = (manager: Manager): boolean =>
    before.nodes.some((node) =>
      node[manager].processes.some(({ config }) => sameLease(config.mainLock, lease)),
    );
  const managers = (['kcm', 'ccm'] as const).filter(isMainOf);
  return managers.length === 1 ? managers : ['kcm', 'ccm'];
}
