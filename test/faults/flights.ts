import type { ClusterActivities, RunContext } from '../../activities/contract.js';
import type { ActivityClock } from '../../activities/dependencies.js';
import { failureTypeOf } from '../../activities/failures.js';
import type { RunCommand, RunEvent, RunState } from '../../domain/advance/run-state.js';
import { FAILURES } from '../../domain/failures.js';

/** What one flight needs of its run. */
export interface FlightDeck {
  readonly activities: ClusterActivities;
  readonly clock: ActivityClock;
  readonly ccmManifest: string;
}

type Flight = Exclude<RunCommand, { readonly kind: 'continue' | 'finish' | 'awaitCommand' }>;

const ATTEMPTS = 20;
const LONGEST_BACKOFF_MS = 30_000;

/** Carries out a command of the reducer, with the attempts that the workflow asks Temporal for. */
export async function flight(
  deck: FlightDeck,
  context: RunContext,
  state: RunState,
  command: Flight,
): Promise<RunEvent> {
  try {
    return await fly(deck, context, state, command);
  } catch (error) {
    const type = failureTypeOf(error) ?? 'Bug';
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const failure = { type, whoActs: FAILURES[type], message, outcomeUnknown: true };
    return { kind: 'activityFailed', failure };
  }
}

async function fly(
  deck: FlightDeck,
  context: RunContext,
  state: RunState,
  command: Flight,
): Promise<RunEvent> {
  const { activities } = deck;
  const sightings = state.look?.sightings ?? [];
  const looking = { ...context, sightings };
  switch (command.kind) {
    case 'takeFence': {
      const nonce = `${context.runId}/${String(command.fence)}`;
      const { epoch } = await persisting(deck, () => activities.takeFence({ ...context, nonce }));
      return { kind: 'fenceTaken', epoch };
    }
    case 'observe':
      return {
        kind: 'looked',
        look: await persisting(deck, () => activities.observeCluster(looking)),
      };
    case 'runStep': {
      const { step } = command;
      const materials = { ccmManifest: deck.ccmManifest };
      const input = { ...looking, epoch: state.epoch, step, materials };
      return { kind: 'stepFinished', report: await activities.executeStep(input) };
    }
    case 'soak': {
      const input = { ...looking, epoch: state.epoch, soakMs: command.soakMs };
      const report = await persisting(deck, () => activities.soak(input));
      return { kind: 'soakFinished', report };
    }
    case 'awaitChange': {
      const { look } = state;
      if (look === null) throw new Error('nothing was seen that could change');
      const atMostMs = context.timings.awaitChangeMs;
      const input = { ...looking, since: look.observation, atLeastMs: 0, atMostMs };
      const changed = await persisting(deck, () => activities.awaitChange(input));
      return { kind: 'changeSeen', look: changed };
    }
  }
}

/** Attempts as the server makes them: of what the machine may repeat, with growing waits. */
export async function persisting<T>(
  { clock }: Pick<FlightDeck, 'clock'>,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      const type = failureTypeOf(error);
      if (type === null || FAILURES[type] !== 'retry' || count >= ATTEMPTS) throw error;
      await clock.sleep(Math.min(500 * 2 ** (count - 1), LONGEST_BACKOFF_MS));
    }
  }
}
