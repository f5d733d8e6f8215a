import { join } from 'node:path';
import { findTemporalCli } from '../../devserver/find-temporal-cli.js';
import { compiledProgram } from '../../devserver/package-files.js';
import { type Child, startChild } from '../../devserver/processes/child.js';
import { workerEnvironment } from '../../devserver/processes/worker-process.js';
import { startDevServer } from '../../devserver/start-dev-server.js';
import { INVENTORY, withFiles } from '../config/given-files.js';

/** Longer than a worker takes for anything, also on a busy machine. */
export const BOUND_MS = 5 * 60_000;

/** A worker process with the inventory in `folder`; `more` are environment variables of its own. */
export function startWorker(
  folder: string,
  address: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const logFile = join(folder, 'worker.log');
  const settings = {
    ...{ address, namespace: 'default', region: 'default', logFile, stateDir: folder },
    inventory: join(folder, 'inventory.yaml'),
  };
  return startChild({
    ...{ name: 'worker', program: compiledProgram('workers', 'main.js'), arguments: [], logFile },
    env: {
      CCM_MIGRATE_ACCESS_POLICY: 'everyone',
      ...workerEnvironment(settings, process.env),
      ...more,
    },
  });
}

export interface ServedWorker {
  readonly server: Awaited<ReturnType<typeof startDevServer>>;
  readonly child: Child;
}

/** A story with a server of its own and a worker that is ready on it. The story ends the worker. */
export async function withReadyWorker(
  story: (served: ServedWorker) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { path: cliPath } = await findTemporalCli({ env: process.env, report: () => undefined });
  await withFiles({ 'inventory.yaml': INVENTORY }, async (folder) => {
    const server = await startDevServer({ cliPath, logFile: join(folder, 'temporal.log') });
    const child = await startWorker(folder, server.address, more);
    await child.line((line) => (line.includes('"type":"ready"') ? line : null), BOUND_MS);
    await story({ server, child });
    await server.stop();
  });
}
