import type { FleetPlan } from '../../../domain/fleet/fleet-plan.js';
import type { SettingsTexts } from '../../../domain/fleet/revised-settings.js';
import {
  reviseFleet,
  type FleetRevision,
  type RevisedFleet,
} from '../../../domain/fleet/revise-fleet.js';
import { GivenFleet, plan, rowPlans, WAVE } from './given-fleet.js';

export const PILOT_WAVE = { ...WAVE, name: 'pilot' };
export const MAIN_WAVE = { ...WAVE, name: 'main' };
export const LAST_WAVE = { ...WAVE, name: 'last' };
export const TWO_WAVES = [PILOT_WAVE, MAIN_WAVE];
export const PLANNED_ROWS = rowPlans({}, {}, { wave: 1 }, { wave: 1 });
export const SETTINGS_BEFORE: SettingsTexts = {
  waves: ['pilot 1', 'main 1'],
  members: ['c0', 'c1', 'c2', 'c3'],
};

/** Two waves of two; the clusters of the first one change, and those of the second wait. */
export function fleetOfTwoWaves(changes: Partial<FleetPlan> = {}): GivenFleet {
  return new GivenFleet({ waves: TWO_WAVES, rows: PLANNED_ROWS, ...changes });
}

export function revisionOf({
  fleet = fleetOfTwoWaves(),
  plan: changed = {},
  texts = SETTINGS_BEFORE,
  ...more
}: RevisionChange = {}): FleetRevision {
  const { fleetRun, revision: seen } = fleet.state;
  const {
    policy,
    waves,
    rows: planned,
  } = plan({ waves: TWO_WAVES, rows: PLANNED_ROWS, ...changed });
  return {
    ...{ commandId: 'r', actor: 'bo', reason: 'CHG-2', fleetRun, revision: seen, texts },
    plan: { planDigest: 'sha256:second', policy, waves, rows: planned },
    ...more,
  };
}

export type RevisionChange = Partial<Omit<FleetRevision, 'plan'>> & {
  readonly fleet?: GivenFleet;
  readonly plan?: Partial<FleetPlan>;
};

export function revisedFleet(
  fleet: GivenFleet,
  changes: Omit<RevisionChange, 'fleet'>,
): RevisedFleet {
  const result = reviseFleet(fleet.state, revisionOf({ fleet, ...changes }), SETTINGS_BEFORE);
  if (result.kind !== 'revised') throw new Error(JSON.stringify(result));
  return result;
}

/** What a revision does to a fleet, which goes on by it. */
export function afterRevision(
  fleet: GivenFleet,
  changes: Omit<RevisionChange, 'fleet'>,
): RevisedFleet {
  const result = revisedFleet(fleet, changes);
  fleet.state = result.state;
  fleet.tick();
  return result;
}
