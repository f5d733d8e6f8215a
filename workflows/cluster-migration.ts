import { CancellationScope, setHandler } from '@temporalio/workflow';
import { advance } from '../domain/run/advance.js';
import { answerOf, beginRun } from '../domain/run/begin-run.js';
import type { CommandAnswer } from '../domain/run/operator-command.js';
import type { RunState } from '../domain/run/run-state.js';
import { runStatus } from '../domain/run/run-status.js';
import { closeRun, isVouched, resultOf } from './close-run.js';
import type { ClusterMigrationInput, ClusterOutcome, ClusterStatus } from './messages.js';
import { refuseBadInput } from './refuse-bad-input.js';
import { continueRun, mayContinue } from './continue-run.js';
import { createActivityRunner } from './activity-runner.js';
import { openGuard } from './guard-runner.js';
import { statusQuery } from './messages.js';
import { runIdentity } from './run-context.js';
import { type Mailbox, answerQueries, openMailbox, receiveSignals } from './run-mailbox.js';
import { type ShownRun, createStatusPublisher } from './status-publisher.js';

/**
 * Migrates one cluster to its target and, on request, rolls it back. Activities observe and decide, `domain/advance`
 * interprets, this workflow executes. One loop takes events from one mailbox; handlers and activities only add to it, so no
 * two decisions are ever made at once.
 */
export async function clusterMigration(input: ClusterMigrationInput): Promise<ClusterOutcome> {
  refuseBadInput(input);
  const mailbox = openMailbox();
  const run: ShownRun = {
    since: input.carried?.since ?? null,
    state: input.carried?.state ?? beginRun({ ...input, takesOver: input.takeOver !== undefined }),
  };
  setHandler(statusQuery, () => clusterStatus(input, run));
  answerQueries((commandId) => answerTo(run.state, commandId));
  receiveSignals(mailbox);
  cancellationStops(mailbox);
  return CancellationScope.nonCancellable(() => drive(input, mailbox, run));
}

async function drive(
  input: ClusterMigrationInput,
  mailbox: Mailbox,
  run: ShownRun,
): Promise<ClusterOutcome> {
  const guard = openGuard(
    input,
    mailbox,
    input.carried?.guard ?? { ownership: null, memory: null },
  );
  const activities = createActivityRunner(input, mailbox);
  const show = createStatusPublisher(input, run);
  // A fence that an earlier execution took stays guarded.
  if (run.state.fence.epoch > 0) guard.watch(run.state);
  let next = advance(run.state, { kind: 'started' });
  for (;;) {
    if (next.command.kind === 'finish') {
      await activities.end();
      const seen = await guard.end();
      const { outcome } = next.command;
      if (isVouched(outcome, next.state, guard)) {
        run.state = next.state;
        show();
        return end(mailbox, run, await closeRun(input, run.state, outcome, seen));
      }
      next = advance(next.state, { kind: 'guardSilent' });
      continue;
    }
    run.state = next.state;
    show();
    if (mayContinue(input, run.state, next.command)) {
      next = await continueRun({ input, mailbox, run, activities, guard });
      continue;
    }
    activities.launch(run.state, next.command);
    const event = await mailbox.take();
    if (event.kind === 'fenceTaken') guard.watch(run.state);
    next = advance(run.state, event);
  }
}

/** Answers commands that arrived while the run was closing: the run has ended. */
function end(mailbox: Mailbox, run: { state: RunState }, outcome: ClusterOutcome): ClusterOutcome {
  for (const event of mailbox.rest()) run.state = advance(run.state, event).state;
  return resultOf(outcome);
}

/** Cancelling the workflow, also by its parent, stops the run at the next safe point. It never starts a rollback. */
function cancellationStops(mailbox: Mailbox): void {
  CancellationScope.current().cancelRequested.catch(() => {
    mailbox.put({ kind: 'cancelled' });
  });
}

function answerTo(state: RunState, commandId: string): CommandAnswer {
  const answer = answerOf(state.commands, commandId);
  if (answer !== null) return answer;
  return state.inFlight.kind === 'ended'
    ? { state: 'refused', detail: 'the run ended without receiving this command' }
    : { state: 'pending', detail: 'not received yet' };
}

function clusterStatus(
  { region, fleet, wave }: ClusterMigrationInput,
  { state, since }: ShownRun,
): ClusterStatus {
  const { planDigest } = state.direction;
  const sinceMs = since?.atMs ?? null;
  return { ...runStatus(state), ...runIdentity(), region, fleet, wave, planDigest, sinceMs };
}
