import type { Client } from '@temporalio/client';
import type { RegionService } from '../activities/fleet/run-directory.js';
import { describedQueue, guardService } from '../activities/fleet/live-workers.js';
import { guardTaskQueue, stepTaskQueue } from '../config/names.js';

/**
 * Whether a region has workers, and room for a guard. One without a slot asks the server for nothing, so that after some minutes it looks as if it were
 * gone. Its heartbeats tell, which the SDK sends each minute.
 */
export async function regionService(
  client: Client,
  workflowQueue: string,
  region: string,
): Promise<RegionService> {
  const [workflows, steps, guards] = await Promise.all([
    describedQueue(client, { name: workflowQueue, type: 'workflows' }),
    describedQueue(client, { name: stepTaskQueue(region), type: 'activities' }),
    guardService(client, guardTaskQueue(region)),
  ]);
  if (workflows.pollers.length === 0 || steps.pollers.length === 0) return 'unserved';
  return guards;
}
