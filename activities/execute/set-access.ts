import { parseArguments, switchFlag } from '../../domain/documents/arguments.js';
import { readManagerManifest } from '../../domain/documents/read-manifest.js';
import type { StepEffect } from '../../domain/step.js';
import { accessObjects } from '../ccm-access.js';
import { ensureWorkload } from './change-daemon-set.js';
import { ensureObject, refOf, removeOurObject } from './object-writes.js';
import { renderWanted } from './rendered-manager.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NOTHING_LOST, note, policyOf, safePoint } from './step-session.js';

type SetAccess = Extract<StepEffect, { kind: 'setAccess' }>;

/**
 * Creates or removes our own access objects, one by one. The CCM's come with its DaemonSet, where it is one: bound
 * to a label that no node has yet. Nothing that others made is changed.
 */
export async function setAccess(
  session: StepSession,
  { access, want }: SetAccess,
): Promise<EffectReport> {
  const objects = accessObjects(access, policyOf(session), usesAccountTokens(session));
  let changed = 0;
  // Bindings go before what they bind, so that no right outlives its grant.
  for (const object of want === 'present' ? objects : [...objects].reverse()) {
    safePoint(session);
    const wrote =
      want === 'present'
        ? await ensureObject(session, object)
        : await removeOurObject(session, refOf(object));
    changed += wrote ? 1 : 0;
  }
  const { deployAs } = policyOf(session).ccm;
  if (access === 'ccmAccess' && want === 'present' && deployAs === 'daemonSet') {
    await ensureWorkload(session, await renderWanted(session, ccmWant(session), null));
  }
  note(session, `${String(changed)} access objects ${want === 'present' ? 'written' : 'removed'}`);
  return NOTHING_LOST;
}

function ccmWant(session: StepSession): Parameters<typeof renderWanted>[1] {
  const leaderMigration = policyOf(session).strategy === 'gap' ? 'off' : 'on';
  return { manager: 'ccm', role: 'running', leaderMigration };
}

function usesAccountTokens({ input }: StepSession): boolean {
  const result = readManagerManifest(input.materials.ccmManifest);
  if (result.kind === 'invalid') return false;
  const flags = parseArguments(result.manifest.arguments);
  return switchFlag(flags, 'use-service-account-credentials', false);
}
