import { CancellationScope, setHandler, workflowInfo } from '@temporalio/workflow';
import { advance } from '../domain/run/advance.js';
import { answerOf, beginRun, restoredRun } from '../domain/run/begin-run.js';
import { memberReports } from '../domain/fleet/member-milestones.js';
import { fleetName } from '../domain/run/fleet-ties.js';
import { NOT_RECEIVED, type CommandAnswer } from '../domain/run/operator-command.js';
import type { RunOutcome } from '../domain/run/outcome.js';
import type { RunState } from '../domain/run/run-state.js';
import { runStatus } from '../domain/run/run-status.js';
import { toldAnswers } from '../domain/run/told-answers.js';
import { closeRun, isVouched, resultOf } from './close-run.js';
import type { ClusterMigrationInput, ClusterOutcome, ClusterStatus } from './messages.js';
import { inputRefusal } from './refuse-bad-input.js';
import { type Continuing, continueRun, mayContinue } from './continue-run.js';
import { type CommandReceiver, openAdmission } from './command-admission.js';
import { createActivityRunner } from './activity-runner.js';
import { createFleetReporter, reportRefusal } from './fleet-reporter.js';
import { openGuard } from './guard-runner.js';
import { statusQuery } from './messages.js';
import { createTurnTimer, notedTurn } from './turn-timer.js';
import { runIdentity } from './run-context.js';
import { type Mailbox, answerQueries, openMailbox, receiveSignals } from './run-mailbox.js';
import { type ShownRun, createStatusPublisher } from './status-publisher.js';

/**
 * Migrates one cluster to its target and, on request, rolls it back. Activities observe and decide, `domain/advance`
 * interprets, this workflow executes. One loop takes events from one mailbox; handlers and activities only add to it, so no
 * two decisions are ever made at once.
 */
export async function clusterMigration(input: ClusterMigrationInput): Promise<ClusterOutcome> {
  const refusal = inputRefusal(input);
  if (refusal !== null) throw await reportRefusal(input, refusal);
  const mailbox = openMailbox();
  const run: ShownRun = {
    since: input.carried?.since ?? null,
    state: input.carried
      ? restoredRun(input.carried.state)
      : beginRun({
          ...input,
          takesOver: input.takeOver !== undefined,
          beganAtMs: workflowInfo().startTime.getTime(),
        }),
  };
  setHandler(statusQuery, () => clusterStatus(input, run));
  const admission = openAdmission(input, run);
  answerQueries((commandId) =>
    admission.isAdmitting(commandId) ? ADMITTING : answerTo(run.state, commandId),
  );
  receiveSignals(mailbox, admission);
  cancellationStops(mailbox);
  return CancellationScope.nonCancellable(async () => {
    const outcome = await drive(input, mailbox, run);
    return end(mailbox, admission, run, outcome);
  });
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
  const reporter = createFleetReporter();
  const timer = createTurnTimer(mailbox);
  const going: Going = { input, mailbox, run, activities, guard, reporter, show };
  // A fence that an earlier execution took stays guarded.
  if (run.state.fence.epoch > 0) guard.watch(run.state);
  let next = advance(run.state, { kind: 'started' });
  for (;;) {
    if (next.command.kind === 'finish') {
      const outcome = await finish(going, next.state, next.command.outcome);
      if (outcome !== null) return outcome;
      next = advance(next.state, { kind: 'guardSilent' });
      continue;
    }
    run.state = notedTurn(next.state);
    timer.follow(run.state);
    report(going);
    show();
    if (mayContinue(input, run.state, next.command)) {
      next = await continueRun(going);
      continue;
    }
    activities.launch(run.state, next.command);
    const event = await mailbox.take();
    if (event.kind === 'fenceTaken') guard.watch(run.state);
    next = advance(run.state, event);
  }
}

interface Going extends Continuing {
  readonly show: () => void;
}

/** Closes a run that has come to its end; null when its guard did not confirm it. */
async function finish(
  going: Going,
  state: RunState,
  outcome: RunOutcome,
): Promise<ClusterOutcome | null> {
  const { input, run, activities, guard, reporter, show } = going;
  await activities.end();
  const seen = await guard.end();
  if (!isVouched(outcome, state, guard)) return null;
  run.state = state;
  show();
  const closed = await closeRun(input, state, outcome, seen);
  // The fence is free by now, so that the fleet may start the next run of this cluster.
  report(going);
  await reporter.sent();
  return closed;
}

/** Sends what the fleet has not been told yet, and remembers it as told. */
function report({ run, reporter }: Pick<Going, 'run' | 'reporter'>): void {
  const { state, reports } = memberReports(run.state);
  run.state = state;
  const { of } = state.membership;
  if (of !== null) reporter.send(of.fleetWorkflowId, reports);
}

/** Answers commands that arrived while the run was closing, and those of which no worker has said whose they are: the run has ended. What became of all of them is said with its outcome. */
function end(
  mailbox: Mailbox,
  admission: Pick<CommandReceiver, 'unheard'>,
  run: { state: RunState },
  outcome: ClusterOutcome,
): ClusterOutcome {
  for (const commandId of admission.unheard()) mailbox.put({ kind: 'commandUnheard', commandId });
  for (const event of mailbox.rest()) run.state = advance(run.state, event).state;
  const answers = toldAnswers(run.state.commands);
  return resultOf(Object.keys(answers).length === 0 ? outcome : { ...outcome, answers });
}

/** Cancelling the workflow, also by its parent, stops the run at the next safe point. It never starts a rollback. */
function cancellationStops(mailbox: Mailbox): void {
  CancellationScope.current().cancelRequested.catch(() => {
    mailbox.put({ kind: 'cancelled' });
  });
}

const ADMITTING: CommandAnswer = {
  state: 'pending',
  detail: 'a worker checks who signed it',
};

function answerTo(state: RunState, commandId: string): CommandAnswer {
  const answer = answerOf(state.commands, commandId);
  if (answer !== null) return answer;
  return state.inFlight.kind === 'ended'
    ? { state: 'refused', detail: 'the run ended without receiving this command' }
    : { state: 'pending', detail: NOT_RECEIVED };
}

function clusterStatus(
  { region, fleet, wave }: ClusterMigrationInput,
  { state, since }: ShownRun,
): ClusterStatus {
  const { planDigest } = state.direction;
  const sinceMs = since?.atMs ?? null;
  const adoptedBy = fleetName(state.membership);
  return {
    ...runStatus(state),
    ...runIdentity(),
    ...{ region, fleet: adoptedBy === '' ? fleet : adoptedBy, wave, planDigest, sinceMs },
  };
}
