import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { Child } from '../../devserver/processes/child.js';
import { WORKFLOW_TASK_QUEUE } from '../../config/names.js';
import { INVENTORY, withFiles } from '../config/given-files.js';
import { eventually } from '../contract/eventually.js';
import { BOUND_MS, startWorker, withReadyWorker } from '../support/started-worker.js';

/**
 * Returns when the server at `address` holds a poll of a worker. A worker polls only after it has reported ready; without a poll its
 * shutdown would have nothing to wait for.
 */
async function polled(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const queue = { namespace: 'default', taskQueue: { name: WORKFLOW_TASK_QUEUE } };
  try {
    await eventually(BOUND_MS, async () => {
      const { pollers } = await connection.workflowService.describeTaskQueue(queue);
      return pollers.length > 0 ? pollers : null;
    });
  } finally {
    await connection.close();
  }
}

/** How the worker ended, and its last output. */
async function told(child: Child): Promise<readonly [string, string]> {
  process.kill(child.pid, 'SIGTERM');
  const how = await child.ended;
  return [how, await readFile(child.logFile, 'utf8')];
}

describe('a worker that cannot begin', () => {
  it.each([
    ['its inventory is invalid', 'kind: Nothing\n', /inventory\.yaml:1:7: /],
    ['Temporal is not reachable', INVENTORY, /Temporal at 127\.0\.0\.1:1 cannot be reached: /],
  ])(
    'a worker that cannot begin says why and exits, so that a supervisor can restart it: %s',
    async (_, inventory, why) => {
      await withFiles({ 'inventory.yaml': inventory }, async (folder) => {
        const child = await startWorker(folder, '127.0.0.1:1');
        expect(await child.ended).toBe('exit 1');
        expect(await readFile(child.logFile, 'utf8')).toMatch(why);
      });
    },
    BOUND_MS,
  );
});

describe('a worker that receives SIGTERM', () => {
  it(
    'exits at once while it waits for a server that never answers',
    async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const called = once(silent, 'connection');
      await withFiles({ 'inventory.yaml': INVENTORY }, async (folder) => {
        const child = await startWorker(folder, `127.0.0.1:${String(port)}`);
        await called;
        const [how, log] = await told(child);
        expect(how).toBe('exit 0');
        expect(log).toContain('SIGTERM before it served anything: exits at once');
      });
      silent.close();
    },
    BOUND_MS,
  );

  it(
    'exits in order while the database of its evidence is away',
    async () => {
      await withReadyWorker(
        async ({ child }) => {
          const [how, log] = await told(child);
          expect(how).toBe('exit 0');
          expect(log).toContain('"place":"PostgreSQL 127.0.0.1:1/evidence"');
        },
        { CCM_MIGRATE_EVIDENCE_DATABASE: 'postgresql://worker@127.0.0.1:1/evidence' },
      );
    },
    BOUND_MS,
  );

  it(
    'exits in time when its server hangs, and says so',
    async () => {
      await withReadyWorker(async ({ server, child }) => {
        await polled(server.address);
        process.kill(server.pid, 'SIGSTOP');
        const [how, log] = await told(child);
        expect(how).toBe('exit 1');
        expect(log).toMatch(/Temporal did not answer within \d+ ms of SIGTERM: exits/);
        process.kill(server.pid, 'SIGKILL');
      });
    },
    BOUND_MS,
  );

  it(
    'shuts down in order when its server is gone',
    async () => {
      await withReadyWorker(async ({ server, child }) => {
        process.kill(server.pid, 'SIGKILL');
        const [how] = await told(child);
        expect(how).toMatch(/^exit [01]$/);
      });
    },
    BOUND_MS,
  );
});
