import type { FleetSettings, RevisionOrder } from '../../activities/fleet-input.js';
import { memberLeaves } from '../../domain/authority/member-leaves.js';
import { memberLevels, membersRoot } from '../../domain/authority/member-tree.js';
import { applyRevision, refuseUnreadable } from '../../domain/fleet/fleet-commands.js';
import { mergedSettings, settingsTexts } from '../../domain/fleet/revised-settings.js';
import type { LiveFleet } from './live-fleet.js';

/**
 * Takes a new plan. Nothing starts by it in this execution: activities read what runs are started with from the first event of an
 * execution, so that the next one begins with it.
 */
export function revise(fleet: LiveFleet, order: RevisionOrder): void {
  const { commandId, actor, reason, fleetRun, revision, given, signed } = order;
  const asked = { commandId, actor, reason, fleetRun, revision, plan: given.plan };
  const now = { ...fleet.state, nowMs: Math.max(fleet.state.nowMs, Date.now()) };
  const texts = settingsTexts(given);
  const { state, revised } = applyRevision(now, { ...asked, texts }, settingsTexts(fleet.settings));
  if (revised === null) {
    fleet.state = state;
    return;
  }
  const merged = mergedSettings(fleet.settings, given, revised);
  if (signed !== undefined && signed.members !== rootOf(merged, state.rows)) {
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

function rootOf({ waves, members }: FleetSettings, rows: LiveFleet['state']['rows']): string {
  const leaves = memberLeaves(
    waves,
    members.flatMap(({ uid }, index) =>
      rows.slice(index, index + 1).map(({ wave }) => ({ uid, wave })),
    ),
  );
  return membersRoot(memberLevels(leaves));
}
