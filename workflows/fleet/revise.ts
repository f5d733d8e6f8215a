import type { RevisionOrder } from '../../activities/fleet-input.js';
import { applyRevision } from '../../domain/fleet/fleet-commands.js';
import { mergedSettings, settingsTexts } from '../../domain/fleet/revised-settings.js';
import type { LiveFleet } from './live-fleet.js';

/**
 * Takes a new plan. Nothing starts by it in this execution: activities read what runs are started with from the first event of an
 * execution, so that the next one begins with it.
 */
export function revise(fleet: LiveFleet, order: RevisionOrder): void {
  const { commandId, actor, reason, fleetRun, revision, given } = order;
  const asked = { commandId, actor, reason, fleetRun, revision, plan: given.plan };
  const now = { ...fleet.state, nowMs: Math.max(fleet.state.nowMs, Date.now()) };
  const texts = settingsTexts(given);
  const { state, revised } = applyRevision(now, { ...asked, texts }, settingsTexts(fleet.settings));
  fleet.state = state;
  if (revised === null) return;
  fleet.settings = mergedSettings(fleet.settings, given, revised);
  fleet.revision = order;
  // The windows may be other ones.
  fleet.openUntilMs = 0;
}
