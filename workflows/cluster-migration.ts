import { CancellationScope, setHandler, workflowInfo } from '@temporalio/workflow';
import { advance } from '../domain/advance/advance.js';
import { beginRun } from '../domain/advance/begin-run.js';
import type { CommandAnswer } from '../domain/advance/operator-command.js';
import { runStatus } from '../domain/advance/run-status.js';
import type { RunState } from '../domain/advance/run-state.js';
import { closeRun, resultOf } from './close-run.js';
import type { ClusterMigrationInput, ClusterOutcome, ClusterStatus } from './cluster-run.js';
import { openFlights } from './flights.js';
import { openGuard } from './guard-flight.js';
import { refuseBadInput } from './input-problems.js';
import { statusQuery } from './messages.js';
import {
  answersGiven,
  answerUpdates,
  openMailbox,
  receiveSignals,
  type Mailbox,
} from './run-mailbox.js';
import { openShow } from './show-run.js';

/**
 * One cluster toward its target and, when asked, back: `domain/advance` decides, this carries out. One loop takes
 * events from one mailbox; handlers and activities only put them in, so no two things are ever decided at once.
 */
export async function clusterMigration(input: ClusterMigrationInput): Promise<ClusterOutcome> {
  refuseBadInput(input);
  const mailbox = openMailbox();
  const run = { state: beginRun(input) };
  setHandler(statusQuery, () => clusterStatus(input, run.state));
  answerUpdates((commandId) => answerOf(run.state, commandId), input.answerWaitMs);
  receiveSignals(mailbox);
  cancellationStops(mailbox);
  return CancellationScope.nonCancellable(() => drive(input, mailbox, run));
}

async function drive(
  input: ClusterMigrationInput,
  mailbox: Mailbox,
  run: { state: RunState },
): Promise<ClusterOutcome> {
  const guard = openGuard(input, mailbox);
  const flights = openFlights(input, mailbox);
  const show = openShow(input);
  let next = advance(run.state, { kind: 'started' });
  for (;;) {
    run.state = next.state;
    show(run.state);
    flights.launch(run.state, next.command);
    if (next.command.kind === 'finish') break;
    const event = await mailbox.take();
    if (event.kind === 'fenceTaken') guard.watch(run.state);
    next = advance(run.state, event);
  }
  const outcome = await closeRun(input, run.state, next.command.outcome, guard);
  // Whoever asked while the run was closing is told that it is over.
  for (const event of mailbox.rest()) run.state = advance(run.state, event).state;
  await answersGiven();
  return resultOf(outcome);
}

/** Cancellation of the workflow, also by its parent, means stop at the next safe point. Never a rollback. */
function cancellationStops(mailbox: Mailbox): void {
  CancellationScope.current().cancelRequested.catch(() => {
    mailbox.put({ kind: 'cancelled' });
  });
}

function answerOf({ answers, activity }: RunState, commandId: string): CommandAnswer {
  const answer = answers[commandId];
  if (answer !== undefined) return answer;
  return activity.kind === 'ended'
    ? { state: 'refused', detail: 'the run has ended and never saw this command' }
    : { state: 'pending', detail: 'not received yet' };
}

function clusterStatus(input: ClusterMigrationInput, state: RunState): ClusterStatus {
  const { workflowId, runId } = workflowInfo();
  const { region, fleet, wave, planDigest } = input;
  return { ...runStatus(state), workflowId, runId, region, fleet, wave, planDigest };
}
