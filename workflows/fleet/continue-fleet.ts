import { makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import type { FleetMigrationInput, RevisionOrder } from '../../activities/fleet-input.js';
import type { FleetOutcome } from '../messages/fleet-messages.js';
import { carriedFleet, type LiveFleet } from './live-fleet.js';

/** Far below the limit of 51,200 events: a replay of 10,000 clusters must end well within the ten seconds of a task, also on a busy worker. */
const CONTINUE_AFTER_EVENTS = 1500;
const CONTINUE_AFTER_BYTES = 4 * 1024 * 1024;

/**
 * Whether the next execution should go on from here: the history has become long, the fleet has a new plan, or
 * another build became current. The rule
 * runs in this workflow, so an execution stays with the build that began it (it is pinned), and only its successor may decide
 * by other rules: ADR 16.
 */
export function shouldContinue(
  { continueAfterEvents = CONTINUE_AFTER_EVENTS }: FleetMigrationInput,
  { revision }: LiveFleet,
): boolean {
  const info = workflowInfo();
  return (
    revision !== null ||
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
  const { revision } = fleet;
  const next = makeContinueAsNewFunc<(input: FleetMigrationInput) => Promise<FleetOutcome>>({
    initialVersioningBehavior: 'AUTO_UPGRADE',
    ...(revision === null ? {} : { memo: memoBy(revision, input) }),
  });
  return next({
    ...input,
    ...(revision === null ? {} : askedBy(revision)),
    ...{ given: null, carried: carriedFleet(fleet) },
  });
}

/** Who gave the new plan has asked for what starts from now on. */
function askedBy({
  actor,
  reason,
  ticket,
}: RevisionOrder): Pick<FleetMigrationInput, 'actor' | 'reason' | 'ticket'> {
  return { actor, reason, ticket };
}

function memoBy(
  revision: RevisionOrder,
  { fleet }: FleetMigrationInput,
): Readonly<Record<string, unknown>> {
  return { ...askedBy(revision), fleet, files: [...revision.files] };
}
