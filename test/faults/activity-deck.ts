import type {
  ClusterActivities,
  DecidedObservation,
  RunContext,
} from '../../activities/contract.js';
import type { ActivityClock } from '../../activities/dependencies.js';
import { failureDetailsOf, failureTypeOf } from '../../activities/failures.js';
import { unpackObservation } from '../../domain/observation/packed-observation.js';
import type { NextAction, RunEvent, RunState } from '../../domain/run/run-state.js';
import { FAILURES } from '../../domain/failures.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { RunObservation } from '../../domain/run/results.js';

/** The parts of its run that one flight needs. */
export interface ActivityDeck {
  readonly activities: ClusterActivities;
  readonly clock: ActivityClock;
  readonly ccmManifest: string;
  /** The cluster as the last activity observed it, and as the last step found it: the run itself keeps neither. */
  readonly seen: { observation: ClusterObservation | null; before: ClusterObservation | null };
}

type Flight = Exclude<NextAction, { readonly kind: 'continue' | 'finish' | 'awaitCommand' }>;

const ATTEMPTS = 20;
const LONGEST_BACKOFF_MS = 30_000;

/** Carries out a command of the reducer, with the attempts that the workflow requests from Temporal. */
export async function flight(
  deck: ActivityDeck,
  context: RunContext,
  state: RunState,
  command: Flight,
): Promise<RunEvent> {
  try {
    return await fly(deck, context, state, command);
  } catch (error) {
    const type = failureTypeOf(error) ?? 'Bug';
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const { wrote } = failureDetailsOf(error);
    const neverRan = type === 'Unguarded' && wrote === false;
    const failure = { type, whoActs: FAILURES[type], message, neverRan, verdicts: [] };
    return { kind: 'activityFailed', failure };
  }
}

async function fly(
  deck: ActivityDeck,
  context: RunContext,
  state: RunState,
  command: Flight,
): Promise<RunEvent> {
  const { activities, seen } = deck;
  const { direction, proofs, fence } = state;
  const { target, waivers, approvals, revision } = direction;
  const decide = {
    ...{ target, waivers, approvals, since: proofs.since, revision },
    ...(proofs.probes?.before && { probedBefore: proofs.probes.before }),
  };
  const observing = {
    ...context,
    epoch: fence.epoch,
    decide,
    firstSeen: state.observed?.firstSeen ?? [],
    observationId: state.observed?.observationId,
  };
  const snapshotOf = <T extends DecidedObservation>(result: T): T & RunObservation => {
    seen.observation = unpackObservation(result.observation);
    return { ...result, inventory: result.observation.inventory };
  };
  const materials = { ccmManifest: deck.ccmManifest };
  switch (command.kind) {
    case 'check': {
      // These runs have no plan that could be stale; after a change of direction the plan is checked as in the workflow.
      const early = command.early || revision === 0;
      const report = await persisting(deck, () =>
        activities.checkStart({ ...observing, materials, early }),
      );
      return { kind: 'checked', report };
    }
    case 'takeFence': {
      const nonce = `${context.runId}/${String(command.fence)}`;
      const asked = { ...context, nonce, acknowledge: command.acknowledge };
      const granted = await persisting(deck, () => activities.takeFence(asked));
      return { kind: 'fenceTaken', epoch: granted.epoch };
    }
    case 'observe': {
      const observed = await persisting(deck, () => activities.observeCluster(observing));
      return { kind: 'observed', observed: snapshotOf(observed) };
    }
    case 'runStep': {
      const { planned } = command;
      seen.before = seen.observation;
      const report = await activities.executeStep({ ...observing, planned, materials });
      return { kind: 'stepFinished', report: snapshotOf(report) };
    }
    case 'soak': {
      const { soakMs } = command;
      const progress = soakMs > 0 ? proofs.soakProgress : null;
      const report = await persisting(deck, () =>
        activities.soak({ ...observing, soakMs, progress }),
      );
      return { kind: 'soakFinished', report: snapshotOf(report) };
    }
    case 'awaitChange': {
      const atMostMs = context.timings.awaitChangeMs;
      const input = { ...observing, goal: command.goal, atLeastMs: 0, atMostMs };
      const change = await persisting(deck, () => activities.awaitChange(input));
      return { kind: 'changeSeen', change };
    }
    case 'rest':
      await deck.clock.sleep(command.ms);
      return { kind: 'rested' };
  }
}

/** Attempts as the server makes them: of what may be repeated without a person, with growing waits. */
export async function persisting<T>(
  { clock }: Pick<ActivityDeck, 'clock'>,
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
