import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findTemporalCli } from '../../devserver/find-temporal-cli.js';
import { freePort } from '../../devserver/free-port.js';
import { compiledProgram } from '../../devserver/package-files.js';
import { type Child, startChild } from '../../devserver/processes/child.js';
import { workerEnvironment } from '../../devserver/processes/worker-process.js';
import { startDevServer } from '../../devserver/start-dev-server.js';
import { INVENTORY, withFiles } from '../config/given-files.js';
import { eventually } from '../contract/eventually.js';
import { scrape } from '../support/scraped-metrics.js';

const BOUND_MS = 5 * 60_000;

function startWorker(folder: string, address: string, metrics: string): Promise<Child> {
  const logFile = join(folder, 'worker.log');
  const settings = {
    ...{ address, namespace: 'default', region: 'default', logFile, stateDir: folder },
    inventory: join(folder, 'inventory.yaml'),
  };
  const env = workerEnvironment(settings, process.env);
  return startChild({
    ...{ name: 'worker', program: compiledProgram('workers', 'main.js'), arguments: [], logFile },
    env: { ...env, CCM_MIGRATE_METRICS_ADDRESS: metrics },
  });
}

describe('a worker that serves metrics', () => {
  it(
    'reads the open fleets from its start, also where there are none',
    async () => {
      const { path: cliPath } = await findTemporalCli({
        env: process.env,
        report: () => undefined,
      });
      await withFiles({ 'inventory.yaml': INVENTORY }, async (folder) => {
        const server = await startDevServer({ cliPath, logFile: join(folder, 'temporal.log') });
        const metrics = `127.0.0.1:${await freePort('127.0.0.1')}`;
        const child = await startWorker(folder, server.address, metrics);
        await child.line((line) => (line.includes('"type":"ready"') ? line : null), BOUND_MS);
        const found = await eventually(BOUND_MS, async () => {
          const series = await scrape(metrics);
          return series.find(({ name }) => name.startsWith('ccm_migrate_fleets_')) ?? null;
        });
        expect(found.name).toBe('ccm_migrate_fleets_listed_timestamp_seconds');
        process.kill(child.pid, 'SIGTERM');
        expect(await child.ended).toBe('exit 0');
        await server.stop();
      });
    },
    BOUND_MS,
  );
});
