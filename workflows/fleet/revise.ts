import type { RevisionOrder } from '../../activities/fleet-input.js';
import { patched } from '@temporalio/workflow';
import { type SignedFleet, treeAsSigned } from '../../domain/authority/member-leaves.js';
import { membersRoot } from '../../domain/authority/member-tree.js';
import { applyRevision, refuseUnreadable } from '../../domain/fleet/fleet-commands.js';
import { mergedSettings, settingsTexts } from '../../domain/fleet/revised-settings.js';
import type { LiveFleet } from './live-fleet.js';

/**
 * Takes a new plan. Nothing starts by it in this execution: activities read what runs are started with from the first event of an
 * execution, so that the next one begins with it.
 */
export function revise(
  fleet: LiveFleet,
  { order, principal }: { readonly order: RevisionOrder; readonly principal: string },
): void {
  const { commandId, actor, reason, fleetRun, revision, given, signed } = order;
  const by = { actor, ...(principal === '' ? {} : { principal }) };
  const asked = { commandId, ...by, reason, fleetRun, revision, plan: given.plan };
  const now = { ...fleet.state, nowMs: Math.max(fleet.state.nowMs, Date.now()) };
  const texts = settingsTexts(given);
  const { state, revised } = applyRevision(now, { ...asked, texts }, settingsTexts(fleet.settings));
  if (revised === null) {
    fleet.state = state;
    return;
  }
  const merged = mergedSettings(fleet.settings, given, revised);
  if (signed !== undefined && !isSignedAs(signed.members, merged, state)) {
    const moved = { kind: 'unreadable', commandId, actor, problem: MOVED_ON } as const;
    fleet.state = refuseUnreadable(now, moved);
    return;
  }
  fleet.state = state;
  fleet.settings = signed === undefined ? merged : { ...merged, authority: signed.statement };
  fleet.revision = order;
  // The windows may be other ones.
  fleet.openUntilMs = 0;
}

/** Clusters that started meanwhile keep what they were started with, which the sender could not know. */
const MOVED_ON = 'the fleet has moved on since the plan was signed; apply it again';

/** Builds that left the approvals of waves to the fleet refused statements that name them. */
function isSignedAs(root: string, merged: SignedFleet, state: LiveFleet['state']): boolean {
  const tree = treeAsSigned(merged, state, root);
  if (membersRoot(tree.levels) !== root) return false;
  return tree.waves.every((wave) => wave === null) || patched('signed-waves');
}
