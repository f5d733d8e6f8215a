import type { Client } from '@temporalio/client';
import {
  guardServiceIn,
  type QueueReads,
  queueReads,
} from '../../activities/fleet/live-workers.js';
import { guardTaskQueue } from '../../config/names.js';
import type { Cli } from '../cli.js';
import { someNames } from '../terminal/wording.js';

/** An observation that counts what waits for guards in these regions. */
export function regionReads(
  client: Pick<Client, 'workflowService' | 'options'>,
  regions: readonly string[],
): QueueReads {
  const counted = new Set(regions.map(guardTaskQueue));
  return queueReads(client, (queue) => counted.has(queue));
}

/** Regions whose workers live, and have no room for the guard of another cluster now. */
export async function fullRegionsIn(
  reads: QueueReads,
  regions: readonly string[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    regions.map(async (region) => guardServiceIn(reads, guardTaskQueue(region))),
  );
  return regions.filter((_, index) => found[index] === 'full');
}

/** Says where clusters will wait. It is no refusal: room comes by itself, as other clusters end. */
export async function noteFullRegions(
  { terminal }: Pick<Cli, 'terminal'>,
  client: Pick<Client, 'workflowService' | 'options'>,
  regions: readonly string[],
): Promise<void> {
  const full = await fullRegionsIn(regionReads(client, regions), regions);
  if (full.length === 0) return;
  const where = `${full.length === 1 ? 'region' : 'regions'} ${someNames(full)}`;
  terminal.err(
    `note: the workers of ${where} are full or busy: clusters there are queued until one has room (CCM4038)\n`,
  );
}
