import {
  allHandlersFinished,
  condition,
  continueAsNew,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import { advance } from '../domain/run/advance.js';
import { carryRun, restoredRun } from '../domain/run/begin-run.js';
import type { NextAction, RunState, Transition } from '../domain/run/run-state.js';
import type { ClusterMigrationInput, ClusterOutcome } from './messages.js';
import type { FleetReporter } from './fleet-reporter.js';
import type { ActivityRunner } from './activity-runner.js';
import type { Guard } from './guard-runner.js';
import type { Mailbox } from './run-mailbox.js';
import type { ShownRun } from './status-publisher.js';

/** A run of months must stay far below the server's limits (51,200 events, 50 MiB) and quick to replay. */
const CONTINUE_AFTER_EVENTS = 2000;
const CONTINUE_AFTER_BYTES = 2 * 1024 * 1024;

/** When one of these is due, nothing in flight can have changed the cluster. */
const SAFE_POINTS: readonly NextAction['kind'][] = [
  'continue',
  'observe',
  'soak',
  'awaitChange',
  'rest',
  'awaitCommand',
];

/** Whether the history has become long, the run is at a safe point and each command that arrived is heard. */
export function mayContinue(
  { continueAfterEvents = CONTINUE_AFTER_EVENTS }: ClusterMigrationInput,
  state: RunState,
  command: NextAction,
): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  const isLong =
    continueAsNewSuggested ||
    historyLength >= continueAfterEvents ||
    historySize >= CONTINUE_AFTER_BYTES;
  return isLong && !state.pending.recovery && isSafe(state, command) && isHeard();
}

/**
 * Whether no command waits until a worker says whose it is, which takes as long as workers are away: the guard must not have
 * ended before. Older builds waited for it without a guard, and must when they are replayed.
 */
function isHeard(): boolean {
  return allHandlersFinished() || !patched('heard-before-continuing');
}

function isSafe({ inFlight }: RunState, { kind }: NextAction): boolean {
  const interrupts = inFlight.kind === 'held' || inFlight.kind === 'soaking';
  return kind === 'continue' ? interrupts : SAFE_POINTS.includes(kind);
}

export interface Continuing {
  readonly input: ClusterMigrationInput;
  readonly mailbox: Mailbox;
  readonly run: ShownRun;
  readonly activities: ActivityRunner;
  readonly guard: Guard;
  readonly reporter: FleetReporter;
}

/**
 * Continues as a new execution of the same run: activities in flight end, the guard hands over its memory, reports are sent, no
 * message stays unread. Returns only when one of those messages ended the run instead, or must be heard first.
 */
export async function continueRun(going: Continuing): Promise<Transition> {
  const { input, mailbox, run, activities, guard, reporter } = going;
  await activities.end();
  const seen = await guard.end();
  for (;;) {
    for (const event of mailbox.rest()) {
      const next = advance(run.state, event);
      run.state = next.state;
      if (next.command.kind === 'finish') return next;
    }
    if (!isHeard()) return goOn(going);
    await condition(allHandlersFinished);
    await reporter.sent();
    if (mailbox.isEmpty() && isHeard()) break;
  }
  return continueAsNew<(input: ClusterMigrationInput) => Promise<ClusterOutcome>>({
    ...input,
    carried: { state: carryRun(run.state), since: run.since, guard: seen },
  });
}

/** As the next execution would begin, in this one: guarded again. */
function goOn({ run, guard }: Continuing): Transition {
  run.state = restoredRun(carryRun(run.state));
  if (run.state.fence.epoch > 0) guard.watch(run.state);
  return advance(run.state, { kind: 'started' });
}
