import { CancellationScope, sleep } from '@temporalio/workflow';
import type { DecidedObservation, ObserveInput } from '../activities/contract.js';
import { stepSubject } from '../domain/run/run-findings.js';
import type { NextAction, RunEvent, RunState } from '../domain/run/run-state.js';
import { fencing, observing, soaking, stepping, waiting } from './activity-proxies.js';
import type { ClusterMigrationInput } from './messages.js';
import { decisionRequest, fenceNonce, runContext } from './run-context.js';
import { runFailure } from './run-failure.js';
import type { Mailbox } from './run-mailbox.js';
import type { RunObservation } from '../domain/run/results.js';

/** The one activity in flight besides the guard. A new one ends the wait or soak before it. */
export interface ActivityRunner {
  readonly launch: (state: RunState, command: NextAction) => void;
  /** Cancels what is in flight and waits until it has ended. */
  readonly end: () => Promise<void>;
}

/** In multiples of the first wait: with its default of five minutes, one hour and one day. */
const MOST_BETWEEN_REASONS = 12;
const LONGEST_WAIT = 288;

type ActivityCall = Exclude<NextAction, { readonly kind: 'continue' | 'finish' | 'awaitCommand' }>;

export function createActivityRunner(
  input: ClusterMigrationInput,
  mailbox: Mailbox,
): ActivityRunner {
  let current: { readonly scope: CancellationScope; readonly ended: Promise<void> } | null = null;
  const start = (work: () => Promise<RunEvent | null>): void => {
    const scope = new CancellationScope();
    current?.scope.cancel();
    const ended = scope.run(work).then(
      (event) => {
        // The progress of a soak counts however it ended; any other result of a cancelled activity does not.
        if (event !== null && (current?.scope === scope || event.kind === 'soakFinished')) {
          mailbox.put(event);
        }
      },
      (error: unknown) => {
        if (current?.scope === scope) crash(mailbox, error);
      },
    );
    current = { scope, ended };
  };
  return {
    launch: (state, command) => {
      if (command.kind === 'continue' || command.kind === 'finish') return;
      start(() =>
        command.kind === 'awaitCommand' ? restFence(input, state) : call(input, state, command),
      );
    },
    end: async () => {
      const ending = current;
      current = null;
      ending?.scope.cancel();
      await ending?.ended;
    },
  };
}

function crash(mailbox: Mailbox, error: unknown): void {
  const failure = runFailure(error);
  if (failure === null) mailbox.fail(error);
  else mailbox.put({ kind: 'activityFailed', failure });
}

function call(
  input: ClusterMigrationInput,
  state: RunState,
  command: ActivityCall,
): Promise<RunEvent> {
  switch (command.kind) {
    case 'check':
      return check(input, state, command.early);
    case 'takeFence':
      return takeFence(input, state, command);
    case 'observe':
      return observe(input, state, command.patient);
    case 'runStep':
      return runStep(input, state, command);
    case 'soak':
      return soak(input, state, command.soakMs);
    case 'awaitChange':
      return awaitChange(input, state, command);
    case 'rest':
      return sleep(command.ms).then(() => ({ kind: 'rested' }));
  }
}

function observeInput(input: ClusterMigrationInput, state: RunState): ObserveInput {
  return {
    ...runContext(input, state),
    epoch: state.fence.epoch,
    decide: decisionRequest(state),
    firstSeen: state.observed?.firstSeen ?? [],
    observationId: state.observed?.observationId,
  };
}

/** Of an observation the workflow keeps only the decision; the rest is for audits. */
function observationOf({
  decision,
  firstSeen,
  observationId,
  observation,
  guarded,
}: DecidedObservation): RunObservation {
  return { decision, firstSeen, observationId, guarded, inventory: observation.inventory };
}

async function check(
  input: ClusterMigrationInput,
  state: RunState,
  early: boolean,
): Promise<RunEvent> {
  const report = await observing(input, 'check what was given', true).checkStart({
    ...observeInput(input, state),
    materials: input.materials,
    early,
  });
  return { kind: 'checked', report };
}

async function takeFence(
  input: ClusterMigrationInput,
  state: RunState,
  { fence, acknowledge, patient }: Extract<ActivityCall, { kind: 'takeFence' }>,
): Promise<RunEvent> {
  const { epoch, evidence } = await fencing(input, 'take the fence', patient).takeFence({
    ...runContext(input, state),
    nonce: fenceNonce(fence),
    acknowledge,
    ...(input.takeOver === undefined ? {} : { takeOver: input.takeOver }),
  });
  return { kind: 'fenceTaken', epoch, ...(evidence === undefined ? {} : { evidence }) };
}

async function observe(
  input: ClusterMigrationInput,
  state: RunState,
  patient: boolean,
): Promise<RunEvent> {
  const observed = await observing(input, 'observe', patient).observeCluster(
    observeInput(input, state),
  );
  return { kind: 'observed', observed: observationOf(observed) };
}

async function runStep(
  input: ClusterMigrationInput,
  state: RunState,
  { planned }: Extract<ActivityCall, { kind: 'runStep' }>,
): Promise<RunEvent> {
  const report = await stepping(input, stepSubject(planned.step)).executeStep({
    ...observeInput(input, state),
    planned,
    materials: input.materials,
  });
  const { verdicts, summary, evidence, probe } = report;
  const result = {
    ...{ verdicts, summary },
    ...(evidence === undefined ? {} : { evidence }),
    ...(probe === undefined ? {} : { probe }),
  };
  return { kind: 'stepFinished', report: { ...observationOf(report), ...result } };
}

async function soak(
  input: ClusterMigrationInput,
  state: RunState,
  soakMs: number,
): Promise<RunEvent> {
  const report = await soaking(input, soakMs > 0 ? 'soak' : 'measure gates', soakMs).soak({
    ...observeInput(input, state),
    soakMs,
    progress: soakMs > 0 ? state.proofs.soakProgress : null,
  });
  const { verdicts, complete, progress } = report;
  return {
    kind: 'soakFinished',
    report: { ...observationOf(report), verdicts, complete, progress },
  };
}

/**
 * Each consecutive wait is longer, so that a hold of weeks keeps a short history: without a change it is twice as long as the
 * previous one, and another hold reason is reported a little later. What lets the run continue is reported at once.
 */
async function awaitChange(
  input: ClusterMigrationInput,
  state: RunState,
  { goal, waitCount }: Extract<ActivityCall, { kind: 'awaitChange' }>,
): Promise<RunEvent> {
  const { awaitChangeMs } = input.timings;
  const longer = 2 ** Math.min(waitCount, 20);
  const atMostMs = awaitChangeMs * Math.min(LONGEST_WAIT, longer);
  const change = await waiting(input, `await: ${goal.kind}`, atMostMs).awaitChange({
    ...observeInput(input, state),
    goal,
    atLeastMs: waitCount === 0 ? 0 : awaitChangeMs * Math.min(MOST_BETWEEN_REASONS, longer),
    atMostMs,
  });
  return { kind: 'changeSeen', change };
}

/** Nothing is written until an operator acts, so the guard may observe less often. Nothing waits for this. */
async function restFence(input: ClusterMigrationInput, state: RunState): Promise<null> {
  const { epoch } = state.fence;
  if (epoch === 0) return null;
  try {
    await waiting(input, 'rest', 0).restFence({ ...runContext(input, state), epoch });
  } catch (error) {
    if (runFailure(error) === null) throw error;
  }
  return null;
}
