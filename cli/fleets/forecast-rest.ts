import type { FleetWaveSettings } from '../../activities/fleet-input.js';
import { maintenanceWindow } from '../../config/kinds/maintenance-window.js';
import { awaitedWord, type Word } from '../../domain/fleet/awaited-word.js';
import type { FleetEvent } from '../../domain/fleet/fleet-events.js';
import type { FleetState, Wave } from '../../domain/fleet/fleet-state.js';
import { viewFleet, type FleetStanding } from '../../domain/fleet/fleet-view.js';
import { forecastRest, type DurationModel } from '../../domain/fleet/forecast.js';
import { measuredIn, type Measured } from '../../domain/fleet/measured.js';
import { hasEnded } from '../../domain/fleet/fleet-rows.js';
import { ASSUMED, drawsFor, FORECAST_SEED, openingEvents } from '../plan/fleet-forecast.js';

/** When a running fleet ends, and on what that rests. */
export type FleetRest =
  | {
      readonly kind: 'known';
      /** The fleet's last event, from which on the rest is counted. Epoch ms. */
      readonly fromMs: number;
      readonly p50Ms: number;
      readonly p90Ms: number;
      /** Nothing goes on without a person, so that the time begins only then. */
      readonly afterPeople: boolean;
      /** How many clusters were measured; with too few the plan's expectation counts. */
      readonly changes: number;
      readonly soaks: number;
      /** Approvals are still to be given, by a wave or by a run, whose time is not in it. */
      readonly approvals: boolean;
      /** Runs that people paused by themselves, as if they were resumed now. */
      readonly paused: boolean;
    }
  | {
      readonly kind: 'unknown';
      /** `input`: the server no longer has what the fleet was started with. */
      readonly why: 'input' | 'slow' | 'unfinished';
      /** Clusters that do not end in one of the drawn runs. */
      readonly unfinished: number;
    };

/** The same rule can be run on from here: what it starts from, and over which durations. */
export interface RestOfFleet {
  readonly state: FleetState;
  readonly model: DurationModel & { readonly measured: Measured };
  readonly draws: number;
  readonly events: readonly FleetEvent[];
}

/**
 * What is left of a fleet, as if people gave every approval and ended every hold now: how long they take is not ours to guess.
 * Each cluster that is held for judgement is judged after the time that the plan assumes.
 */
export function restOfFleet(live: FleetState, waves: readonly FleetWaveSettings[]): RestOfFleet {
  const waveSoakMs = waves.map(({ policy }) => policy.soakSeconds * 1000);
  const judged = live.groupHolds.map(({ group }) => [group, live.nowMs] as const);
  const state: FleetState = {
    ...live,
    ...{
      brakes: [],
      groupHolds: [],
      judgedMs: { ...live.judgedMs, ...Object.fromEntries(judged) },
    },
    waves: live.waves.map((wave) => ({
      ...{ ...wave, approvals: { before: 0, after: 0 }, rejected: null },
    })),
  };
  const measured = measuredIn(live, waveSoakMs);
  const scheduled = live.waves.flatMap((plan) =>
    waves.slice(plan.index, plan.index + 1).map(({ windows, excludedDates }) => {
      const read = windows.flatMap((window) => maintenanceWindow.safeParse(window).data ?? []);
      // Those of another version count as far as the fleet itself has been told when they are open.
      const isRead = read.length === windows.length;
      return { windows: read, excludedDates, plan: { scheduled: plan.scheduled && isRead } };
    }),
  );
  return {
    ...{ state, model: { ...ASSUMED, soakMs: 0, waveSoakMs, measured } },
    draws: drawsFor(live.rows.filter((row) => !hasEnded(row)).length),
    events: openingEvents(scheduled, live.nowMs),
  };
}

function awaitsApproval({ over, begunMs, approvals }: Wave): boolean {
  return !over && (approvals.after > 0 || (approvals.before > 0 && begunMs === null));
}

function awaits({ rows }: FleetState, word: Word): boolean {
  return rows.some((row) => awaitedWord(row) === word);
}

const OVER: readonly FleetStanding[] = ['done', 'stopped', 'stopping'];

/** Longer no one waits for a status. */
export const FORECAST_BUDGET_MS = 2_000;

/**
 * Null for a fleet that is over or stopping.
 * @param waves null where they are not known
 * @param clock epoch ms; asked before each event, so that the forecast ends within its budget
 */
export function forecastFleet(
  state: FleetState,
  waves: readonly FleetWaveSettings[] | null,
  clock: () => number,
): FleetRest | null {
  const { standing } = viewFleet(state, '');
  if (OVER.includes(standing)) return null;
  if (waves === null) return { kind: 'unknown', why: 'input', unfinished: 0 };
  const untilMs = clock() + FORECAST_BUDGET_MS;
  const { state: given, model, draws, events } = restOfFleet(state, waves);
  const isCut = (): boolean => clock() > untilMs;
  const rest = forecastRest(given, model, FORECAST_SEED, { draws, events, isCut });
  if (rest === null) return { kind: 'unknown', why: 'slow', unfinished: 0 };
  const { p50Ms, p90Ms, unfinished } = rest;
  if (unfinished > 0) return { kind: 'unknown', why: 'unfinished', unfinished };
  return {
    ...{ kind: 'known', fromMs: state.nowMs, p50Ms, p90Ms },
    afterPeople: standing === 'held' || standing === 'paused' || standing === 'frozen',
    changes: model.measured.changes.length,
    soaks: model.measured.soaks.length,
    approvals: state.waves.some(awaitsApproval) || awaits(state, 'approval'),
    paused: awaits(state, 'resume'),
  };
}
