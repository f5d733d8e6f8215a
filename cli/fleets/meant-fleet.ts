import type { Client } from '@temporalio/client';
import { fleetWorkflowId } from '../../config/names.js';
import { UsageError } from '../cli-error.js';
import { describedRun } from '../runs/described-run.js';
import { openRunNamed } from '../runs/find-run.js';
import { fleetPath, isOnlyFleet, type FleetPath } from './fleet-path.js';

/**
 * The fleet that a name means; null where it means a cluster's run. Of the two the open one is meant.
 * @throws UsageError where a fleet and a cluster of this name are both open, so that a command never goes to the wrong one.
 */
export async function meantFleet(client: Client, written: string): Promise<FleetPath | null> {
  const path = fleetPath(written);
  if (path === null || isOnlyFleet(written)) return path;
  const fleet = await describedRun(client, fleetWorkflowId(path.fleet));
  if (fleet === null) return null;
  const isOpen = fleet.status.name === 'RUNNING';
  const cluster = await openRunNamed(client, written);
  if (cluster === null) return path;
  if (!isOpen) return null;
  throw new UsageError(
    `${written} is an open fleet and a cluster with an open run: write ${fleetWorkflowId(written)} or ${cluster}`,
  );
}
