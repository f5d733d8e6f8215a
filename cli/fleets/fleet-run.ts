import type { Client } from '@temporalio/client';
import type { FleetSettings } from '../../activities/fleet-input.js';
import { fleetWorkflowId } from '../../config/names.js';
import { decodeFleet } from '../../domain/fleet/encoded-fleet.js';
import type { FleetState } from '../../domain/fleet/fleet-state.js';
import {
  fleetStateQuery,
  type FleetMigrationInput,
} from '../../workflows/messages/fleet-messages.js';
import { CliError } from '../cli-error.js';
import type { Silence } from '../runs/ask-run.js';
import { askRun } from '../runs/ask-run.js';
import { describedRun, firstInput } from '../runs/described-run.js';
import type { FleetRest } from './forecast-rest.js';
import { visibleRuns, type VisibleRuns } from './visible-runs.js';
import { EXECUTIONS, fromMemo, type RunView } from '../runs/run-view.js';

/** One observation of a fleet from outside: what the server knows, and its state if a worker answers. */
export interface FleetRunView extends Pick<
  RunView,
  | 'workflowId'
  | 'runId'
  | 'execution'
  | 'closedAtMs'
  | 'actor'
  | 'reason'
  | 'files'
  | 'historyEvents'
> {
  readonly fleet: string;
  /** First run id of the fleet that runs now; null where neither the fleet nor the server says it. */
  readonly fleetRun: string | null;
  /** Of the execution that runs now; the state says when the fleet began. */
  readonly startedAtMs: number;
  /** An ended fleet is asked too: a worker replays it. */
  readonly state: FleetState | null;
  /** Why it did not answer. */
  readonly silence: Silence | null;
  /** Its runs as the search index has them, where it was asked because the fleet did not answer. */
  readonly visible?: VisibleRuns | null;
  /** When it ends, where that was asked; null for one that is over, stopping or does not answer. */
  readonly forecast?: FleetRest | null;
}

const ANSWERS_WITHIN_MS = 5_000;

/** Null where no fleet of this name ever ran. */
export async function viewFleetRun(client: Client, fleet: string): Promise<FleetRunView | null> {
  const found = await describedRun(client, fleetWorkflowId(fleet));
  if (found === null) return null;
  const { workflowId, runId, startTime, closeTime, historyLength, status, memo } = found;
  const question = { workflowId, runId, query: fleetStateQuery, args: [] as [] };
  const asked = await askRun(client, { ...question, withinMs: ANSWERS_WITHIN_MS });
  const firstRunId = found.raw.workflowExecutionInfo?.firstRunId ?? '';
  return {
    ...{ fleet, workflowId, runId, ...fromMemo(memo) },
    fleetRun: firstRunId === '' ? null : firstRunId,
    execution: EXECUTIONS[status.name],
    startedAtMs: startTime.getTime(),
    closedAtMs: closeTime?.getTime() ?? null,
    historyEvents: historyLength,
    ...(asked.kind === 'answered'
      ? { state: decodeFleet(asked.value), silence: null }
      : { state: null, silence: asked.silence }),
  };
}

/** Null where no fleet of this name is open. */
export async function openFleetView(client: Client, fleet: string): Promise<FleetRunView | null> {
  const view = await viewFleetRun(client, fleet);
  return view?.execution === 'running' ? view : null;
}

/** The same, to be shown: where no worker answers, with what the server itself knows. */
export async function viewForPeople(client: Client, fleet: string): Promise<FleetRunView | null> {
  const run = await viewFleetRun(client, fleet);
  if (run === null || run.state !== null) return run;
  return { ...run, visible: await visibleRuns(client, fleet) };
}

/** The refusal of a command that needs the fleet's answer. */
export function silentFleet({ fleet, silence }: FleetRunView): CliError {
  const { code, detail } = silence ?? { code: 'CCM4018' as const, detail: '' };
  const more = detail === '' ? '' : `: ${detail}`;
  return new CliError(code, `fleet ${fleet} does not answer${more}`, {
    ...{ exitStatus: 'failed', retryable: true, state: 'nothing was changed' },
  });
}

/** What the run was started or continued with; null where the history no longer has it. */
export async function inputOfFleet(
  client: Client,
  run: Pick<FleetRunView, 'workflowId' | 'runId'>,
): Promise<FleetMigrationInput | null> {
  return firstInput<FleetMigrationInput>(client, run);
}

/** What the runs of a fleet are started with; null where the server no longer has it. */
export async function settingsOfRun(
  client: Client,
  run: Pick<FleetRunView, 'workflowId' | 'runId'>,
): Promise<FleetSettings | null> {
  return settingsIn(await inputOfFleet(client, run));
}

/** The first execution has the plan, and the later ones what is carried. */
export function settingsIn(input: FleetMigrationInput | null): FleetSettings | null {
  return input?.given ?? input?.carried ?? null;
}
