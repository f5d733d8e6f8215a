import type { Client } from '@temporalio/client';
import { guardService } from '../../activities/fleet/live-workers.js';
import { guardTaskQueue } from '../../config/names.js';
import type { Cli } from '../cli.js';
import { someNames } from '../terminal/wording.js';

/** Regions whose workers live, and have no room for the guard of another cluster now. */
export async function fullRegions(
  client: Pick<Client, 'workflowService' | 'options'>,
  regions: readonly string[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    regions.map(async (region) => guardService(client, guardTaskQueue(region))),
  );
  return regions.filter((_, index) => found[index] === 'full');
}

/** Says where clusters will wait. It is no refusal: room comes by itself, as other clusters end. */
export async function noteFullRegions(
  { terminal }: Pick<Cli, 'terminal'>,
  client: Pick<Client, 'workflowService' | 'options'>,
  regions: readonly string[],
): Promise<void> {
  const full = await fullRegions(client, regions);
  if (full.length === 0) return;
  const where = `${full.length === 1 ? 'region' : 'regions'} ${someNames(full)}`;
  terminal.err(
    `note: the workers of ${where} are full or busy: clusters there are queued until one has room (CCM4038)\n`,
  );
}
