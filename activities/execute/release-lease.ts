import type { StepEffect } from '../../domain/step.js';
import { sameLease } from '../../domain/vocabulary.js';
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
  const proofs = (['kcm', 'ccm'] as const).map((manager) => deathOnHost(host, manager, now));
  return proofs.every((proof) => proof !== null)
    ? (proofs[0] ?? null)
    : ownerProof(session, proofs, lease);
}

/** Where only one manager could have held it, the proof about that one is enough. */
function ownerProof(
  { before }: StepSession,
  [kcm, ccm]: readonly (string | null | undefined)[],
  lease: Release['lease'],
): string | null {
  const isMainOf = (manager: 'kcm' | 'ccm'): boolean =>
    before.nodes.some((node) =>
      node[manager].processes.some(({ config }) => sameLease(config.mainLock, lease)),
    );
  if (isMainOf('kcm')) return kcm ?? null;
  return isMainOf('ccm') ? (ccm ?? null) : null;
}
