import type { StepEffect } from '../../domain/step.js';
import { accessObjects, usesAccountTokens } from '../ccm-access.js';
import { ensureWorkload } from './change-daemon-set.js';
import { fencedBatch } from '../fence/fenced-mutation.js';
import { nameInEvidence } from '../observe/read-access.js';
import type { SlowParts } from '../observe/slow-parts.js';
import { requireOwnSelection } from './own-selection.js';
import { proveRights } from './prove-rights.js';
import { creationOf, refOf, removalOf } from './object-writes.js';
import { renderWanted } from './rendered-manager.js';
import type { EffectReport, StepSession } from './step-session.js';
import { note, policyOf, safePoint } from './step-session.js';

type SetAccess = Extract<StepEffect, { kind: 'setAccess' }>;

/**
 * Creates or removes our own access objects, all at once after one reading of the fence. The CCM's include its DaemonSet, if
 * it is one, bound to a label that no node has yet. Foreign objects are not changed.
 */
export async function setAccess(
  session: StepSession,
  { access, want }: SetAccess,
): Promise<EffectReport> {
  const ownTokens = usesAccountTokens(session.input.materials.ccmManifest);
  const objects = accessObjects(access, policyOf(session), ownTokens);
  const isCcm = access === 'ccmAccess' && want === 'present';
  const { deployAs } = policyOf(session).ccm;
  const workload =
    isCcm && deployAs === 'daemonSet' ? await renderWanted(session, ccmWant(session), null) : null;
  if (workload !== null) await requireOwnSelection(session, workload.manifest);
  safePoint(session);
  const acts = await Promise.all(
    objects.map((object) =>
      want === 'present' ? creationOf(session, object) : removalOf(session, refOf(object)),
    ),
  );
  const wanted = acts.filter((act) => act !== null);
  // None of them grants anything before both its binding and its role exist, so their order does not matter.
  await fencedBatch(session, wanted);
  if (isCcm) await proveRights(session, ownTokens);
  if (workload !== null) await ensureWorkload(session, workload);
  note(
    session,
    `${String(wanted.length)} access objects ${want === 'present' ? 'written' : 'removed'}`,
  );
  const learned = learnedFrom(session, { access, want }, objects.map(nameInEvidence));
  if (access === 'leaseGrant') return { lost: null, changed: ['rights'], learned };
  return { lost: null, changed: deployAs === 'daemonSet' ? ['workload'] : [], learned };
}

/** The answers confirm every object; whether the identities may use the Lease is reviewed again. */
function learnedFrom(
  { slow }: StepSession,
  { access, want }: Pick<SetAccess, 'access' | 'want'>,
  names: readonly string[],
): Partial<SlowParts> {
  const known = slow.accessObjects;
  const others = [...(known ?? [])].filter((name) => !names.includes(name));
  const now = want === 'present' ? [...others, ...names] : others;
  return {
    access: { ...slow.access, [access]: want },
    accessObjects: known === null ? null : new Set(now),
  };
}

function ccmWant(session: StepSession): Parameters<typeof renderWanted>[1] {
  const leaderMigration = policyOf(session).strategy === 'gap' ? 'off' : 'on';
  return { manager: 'ccm', role: 'running', leaderMigration };
}
