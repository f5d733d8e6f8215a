import { makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import type { FleetMigrationInput, FleetSettings } from '../../activities/fleet-input.js';
import type { FleetOutcome } from '../messages/fleet-messages.js';
import { carriedFleet, type LiveFleet } from './live-fleet.js';

/** Far below the server's limit of 51,200 events, and quick to replay. */
const CONTINUE_AFTER_EVENTS = 3000;
const CONTINUE_AFTER_BYTES = 4 * 1024 * 1024;

/**
 * Whether the next execution should go on from here: the history has become long, or another build became current. The rule
 * runs in this workflow, so an execution stays with the build that began it (it is pinned), and only its successor may decide
 * by other rules: ADR 16.
 */
export function shouldContinue({
  continueAfterEvents = CONTINUE_AFTER_EVENTS,
}: FleetMigrationInput): boolean {
  const info = workflowInfo();
  return (
    info.continueAsNewSuggested ||
    info.targetWorkerDeploymentVersionChanged ||
    info.historyLength >= continueAfterEvents ||
    info.historySize >= CONTINUE_AFTER_BYTES
  );
}

/**
 * Goes on in a new execution, on the build that is current. Nothing is in flight and no message is unread: the server refuses to
 * close an execution before it has read its signals.
 */
export function continueFleet(input: FleetMigrationInput, fleet: LiveFleet): Promise<never> {
  const carried = carriedFleet(fleet, settingsOf(input));
  const next = makeContinueAsNewFunc<(input: FleetMigrationInput) => Promise<FleetOutcome>>({
    initialVersioningBehavior: 'AUTO_UPGRADE',
  });
  return next({ ...input, given: null, carried });
}

function settingsOf({ given, carried }: FleetMigrationInput): FleetSettings {
  const settings = given ?? carried;
  if (settings === null) throw new Error('a fleet needs a plan or a state');
  return settings;
}
