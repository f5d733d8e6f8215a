import { defineQuery, defineSignal } from '@temporalio/workflow';
import { MESSAGES } from '../../config/names.js';
import type { RevisionOrder } from '../../activities/fleet-input.js';
import type { CommandReach } from '../../domain/fleet/command-reach.js';
import type { EncodedFleet } from '../../domain/fleet/encoded-fleet.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import type { MemberReport } from '../../domain/fleet/fleet-events.js';
import type { FleetAnswer } from '../../domain/fleet/fleet-state.js';

/** A command to a fleet. A signal, as commands to a run are; its answer is queried. */
export const fleetCommandSignal = defineSignal<[FleetCommand]>(MESSAGES.fleetCommand);

/** A new plan for an open fleet. Its answer is queried as that of a command is. */
export const fleetRevisionSignal = defineSignal<[RevisionOrder]>(MESSAGES.fleetRevision);

/** A member reports to its fleet. */
export const reportSignal = defineSignal<[MemberReport]>(MESSAGES.report);

/** The one answer to a command, and whom it has not reached by now. */
export interface AnsweredCommand extends FleetAnswer {
  /** Null where the fleet does not know any more; absent where it runs older code. */
  readonly reach?: CommandReach | null;
}

/** The one answer to the command with this id; null while the fleet has not received it. */
export const fleetAnswerQuery = defineQuery<AnsweredCommand | null, [string]>(MESSAGES.fleetAnswer);

/** The state of the fleet as carried between its executions; screens and documents are made from it by `domain/fleet`. */
export const fleetStateQuery = defineQuery<EncodedFleet>(MESSAGES.fleetState);

export type {
  FleetGiven,
  FleetMigrationInput,
  RevisionOrder,
} from '../../activities/fleet-input.js';

/** How a fleet ended: rows by phase. */
export interface FleetOutcome {
  readonly kind: 'done' | 'stopped';
  readonly counts: Readonly<Record<string, number>>;
}
