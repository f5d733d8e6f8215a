import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import {
  FLEET_MIGRATION,
  FLEET_TASK_QUEUE,
  fleetNameIn,
  fleetWorkflowId,
  isFleetWorkflow,
} from '../config/names.js';
import { decodeFleet } from '../domain/fleet/encoded-fleet.js';
import type { FleetState } from '../domain/fleet/fleet-state.js';
import { fleetStateQuery } from '../workflows/messages/fleet-messages.js';

/** The fleets of a namespace, as they are read for monitoring. */
export interface FleetDirectory {
  /** Names. The search index lags, and leaves out a fleet that continues as new at this moment. */
  readonly listOpen: (atMost: number) => Promise<readonly string[]>;
  readonly isOpen: (fleet: string) => Promise<boolean>;
  /** From a worker that serves the fleet, which replays it where none has it in memory; fails when none answers in time. */
  readonly state: (fleet: string) => Promise<FleetState>;
}

/** As for people who look at a fleet: a worker has it in memory or replays some thousand events. */
const WITHIN_MS = 5_000;

/** `queue` is where fleets run; only tests need another one. */
export function temporalFleets(client: Client, queue: string = FLEET_TASK_QUEUE): FleetDirectory {
  const asked = <Result>(ask: () => Promise<Result>): Promise<Result> =>
    client.withDeadline(Date.now() + WITHIN_MS, ask);
  const handleOf = (fleet: string) => client.workflow.getHandle(fleetWorkflowId(fleet));
  return {
    listOpen: (atMost) => asked(() => listOpen(client, queue, atMost)),
    isOpen: (fleet) =>
      asked(() => handleOf(fleet).describe()).then(
        ({ status }) => status.name === 'RUNNING',
        (error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        },
      ),
    state: async (fleet) => decodeFleet(await asked(() => handleOf(fleet).query(fleetStateQuery))),
  };
}

async function listOpen(client: Client, queue: string, atMost: number): Promise<readonly string[]> {
  const query = `WorkflowType = '${FLEET_MIGRATION}' AND ExecutionStatus = 'Running' AND TaskQueue = '${queue}'`;
  const names: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) {
    if (isFleetWorkflow(workflowId)) names.push(fleetNameIn(workflowId));
    if (names.length >= atMost) break;
  }
  return names;
}
