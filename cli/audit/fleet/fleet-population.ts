import { fleetNameIn, isFleetWorkflow } from '../../../config/names.js';
import type { RunOnRecord } from '../../../domain/evidence/population.js';
import type { AuditedFleet } from './fleets-on-record.js';

/** The run of a fleet among those that may be missing. It takes no fence: only lists, exports and logs tell of it. */
export function fleetAsRun(run: AuditedFleet): RunOnRecord {
  const { workflowId, runId, fleet, startedAtMs, endedAtMs, listed, exported } = run;
  return {
    ...{ workflowId, runId, cluster: nameOfFleet(fleet), uid: '', epochs: [], claimed: [] },
    ...{ startedAtMs, endedAtMs, listed, exported },
  };
}

/** What a logged run is of. */
export function loggedName({
  workflowId,
  cluster,
}: {
  readonly workflowId: string;
  readonly cluster: string;
}): string {
  return isFleetWorkflow(workflowId) ? nameOfFleet(fleetNameIn(workflowId)) : cluster;
}

function nameOfFleet(fleet: string): string {
  return `fleet ${fleet}`;
}
