import { defineQuery, defineSignal } from '@temporalio/workflow';
import { MESSAGES } from '../../config/names.js';
import type { EncodedFleet } from '../../domain/fleet/encoded-fleet.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import type { MemberReport } from '../../domain/fleet/fleet-events.js';
import type { FleetPlan } from '../../domain/fleet/fleet-plan.js';
import type { FleetAnswer } from '../../domain/fleet/fleet-state.js';
import type { MigrationPolicy, RunTimings } from '../../domain/policy.js';
import type { Materials } from '../../activities/contract.js';

/** A command to a fleet. A signal, as commands to a run are; its answer is queried. */
export const fleetCommandSignal = defineSignal<[FleetCommand]>(MESSAGES.fleetCommand);

/** A member reports to its fleet. */
export const reportSignal = defineSignal<[MemberReport]>(MESSAGES.report);

/** The one answer to the command with this id; null while the fleet has not received it. */
export const fleetAnswerQuery = defineQuery<FleetAnswer | null, [string]>(MESSAGES.fleetAnswer);

/** The state of the fleet as carried between its executions; screens and documents are made from it by `domain/fleet`. */
export const fleetStateQuery = defineQuery<EncodedFleet>(MESSAGES.fleetState);

/** What the runs of one wave take from it. */
export interface FleetWaveSettings {
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
  readonly materials: Materials;
  /** Whether each canary is migrated, rolled back and migrated again. */
  readonly rehearseRollback: boolean;
  /** Who may approve; null for anyone but the requester. */
  readonly approvers: readonly string[] | null;
  readonly windows: readonly FleetWindow[];
  /** As YYYY-MM-DD. */
  readonly excludedDates: readonly string[];
}

/** As written in the file, checked: config/kinds/maintenance-window.ts. */
export interface FleetWindow {
  readonly days: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** What the plan of one cluster says, in the order of the rows. */
export interface FleetMemberPlan {
  readonly uid: string;
  readonly region: string;
  readonly planDigest: string;
}

/** Input of a fleet's workflow: plain, validated, without a credential. Only its first execution has `given`. */
export interface FleetMigrationInput {
  readonly fleet: string;
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  readonly given: FleetGiven | null;
  /** Only between executions of one fleet. */
  readonly carried: CarriedFleet | null;
  /** Events after which the fleet continues as new; only tests need another number. */
  readonly continueAfterEvents?: number;
}

export interface FleetGiven {
  readonly plan: Omit<FleetPlan, 'fleetRun'>;
  /** One for each wave of the plan. */
  readonly waves: readonly FleetWaveSettings[];
  /** One for each row of the plan. */
  readonly members: readonly FleetMemberPlan[];
}

export interface CarriedFleet {
  readonly state: EncodedFleet;
  /** For each wave. */
  readonly approvers: readonly (readonly string[] | null)[];
}

/** How a fleet ended: rows by phase. */
export interface FleetOutcome {
  readonly kind: 'done' | 'stopped';
  readonly counts: Readonly<Record<string, number>>;
}
