import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { unservedFleetQueues } from '../../cli/runs/queue-pollers.js';
import { type OneCluster, openOneCluster } from './one-cluster.js';

let environment: OneCluster;
beforeAll(async () => {
  environment = await openOneCluster({ speed: 10 });
});
afterAll(() => environment.close(), 60_000);

/** Who pastes the commands of the README must not be told that no worker polls. */
it('dev says that it is ready once workers serve all that a fleet needs', async () => {
  await environment.startDev();
  const note: unknown = JSON.parse(
    await readFile(join(environment.stateDir, 'server.json'), 'utf8'),
  );
  const connection = await Connection.connect({ address: (note as { address: string }).address });
  try {
    expect(await unservedFleetQueues(new Client({ connection }), ['default'])).toEqual([]);
  } finally {
    await connection.close();
  }
});
