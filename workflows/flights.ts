import { CancellationScope } from '@temporalio/workflow';
import type { ClusterMigrationInput } from './cluster-run.js';
import { fencing, reading, stepping } from './activity-proxies.js';
import { fenceNonce, runContext } from './run-context.js';
import { runFailure } from './run-failure.js';
import type { Mailbox } from './run-mailbox.js';
import { stepSubject } from '../domain/advance/run-findings.js';
import type { RunCommand, RunEvent, RunState } from '../domain/advance/run-state.js';

/** The one activity in flight besides the guard. A new one ends the wait or soak before it. */
export interface Flights {
  readonly launch: (state: RunState, command: RunCommand) => void;
}

const DAY_MS = 24 * 3600 * 1000;

export function openFlights(input: ClusterMigrationInput, mailbox: Mailbox): Flights {
  let current: CancellationScope | null = null;
  const fly = (work: () => Promise<RunEvent>): void => {
    const scope = new CancellationScope();
    current?.cancel();
    current = scope;
    scope.run(work).then(
      (event) => {
        if (current === scope) mailbox.put(event);
      },
      (error: unknown) => {
        if (current === scope) crash(mailbox, error);
      },
    );
  };
  return {
    launch: (state, command) => {
      if (command.kind === 'continue' || command.kind === 'finish') return;
      if (command.kind !== 'awaitCommand') {
        fly(() => flight(input, state, command));
        return;
      }
      current?.cancel();
      current = null;
    },
  };
}

function crash(mailbox: Mailbox, error: unknown): void {
  const failure = runFailure(error);
  if (failure === null) mailbox.fail(error);
  else mailbox.put({ kind: 'activityFailed', failure });
}

type Flight = Exclude<RunCommand, { readonly kind: 'continue' | 'finish' | 'awaitCommand' }>;

function flight(input: ClusterMigrationInput, state: RunState, command: Flight): Promise<RunEvent> {
  switch (command.kind) {
    case 'takeFence':
      return takeFence(input, state, command.fence);
    case 'observe':
      return observe(input, state);
    case 'runStep':
      return runStep(input, state, command);
    case 'soak':
      return soak(input, state, command.soakMs);
    case 'awaitChange':
      return awaitChange(input, state, command.waits);
  }
}

async function takeFence(
  input: ClusterMigrationInput,
  state: RunState,
  fence: number,
): Promise<RunEvent> {
  const { epoch } = await fencing(input, `fence ${String(fence)}`).takeFence({
    ...runContext(input, state),
    nonce: fenceNonce(fence),
    // Only a run that never had the fence may displace another one.
    ...(state.epoch > 0 || input.takeOver === undefined ? {} : { takeOver: input.takeOver }),
  });
  return { kind: 'fenceTaken', epoch };
}

async function observe(input: ClusterMigrationInput, state: RunState): Promise<RunEvent> {
  const look = await reading(input, 'look').observeCluster({
    ...runContext(input, state),
    sightings: state.look?.sightings ?? [],
  });
  return { kind: 'looked', look };
}

async function runStep(
  input: ClusterMigrationInput,
  state: RunState,
  { step }: Extract<RunCommand, { kind: 'runStep' }>,
): Promise<RunEvent> {
  const report = await stepping(input, `${step.phase}: ${stepSubject(step)}`).executeStep({
    ...runContext(input, state),
    epoch: state.epoch,
    step,
    materials: input.materials,
    sightings: state.look?.sightings ?? [],
  });
  return { kind: 'stepFinished', report };
}

async function soak(
  input: ClusterMigrationInput,
  state: RunState,
  soakMs: number,
): Promise<RunEvent> {
  const words = soakMs === 0 ? 'measure gates' : `soak ${String(soakMs / 1000)} s`;
  const report = await reading(input, words, soakMs).soak({
    ...runContext(input, state),
    sightings: state.look?.sightings ?? [],
    epoch: state.epoch,
    soakMs,
  });
  return { kind: 'soakFinished', report };
}

/**
 * Each wait in a row is longer, so a hold of weeks stays a short history: without a change twice as long as the one
 * before, and the next change is told a little later.
 */
async function awaitChange(
  input: ClusterMigrationInput,
  state: RunState,
  waits: number,
): Promise<RunEvent> {
  const { awaitChangeMs, guardMs } = input.timings;
  const atMostMs = Math.min(DAY_MS, awaitChangeMs * 2 ** Math.min(waits, 20));
  const { look } = state;
  if (look === null) throw new Error('nothing was seen that could change');
  const changed = await reading(input, 'await change', atMostMs).awaitChange({
    ...runContext(input, state),
    sightings: look.sightings,
    since: look.observation,
    atLeastMs: Math.min(awaitChangeMs, waits * guardMs),
    atMostMs,
  });
  return { kind: 'changeSeen', look: changed };
}
