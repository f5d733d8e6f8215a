import { loadInventory } from '../../config/loaded-inventories.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { compiledProgram } from '../../devserver/package-files.js';
import { runInForeground } from '../own-programs.js';
import { workerEnvironment } from '../../devserver/processes/worker-process.js';
import { UsageError } from '../cli-error.js';
import { evidenceFolder, serverAddress, stateDirOf } from '../runs/connection.js';

/** `worker`: serves the clusters of an inventory until it is stopped. */
export async function worker(cli: Cli): Promise<ExitStatus> {
  const { env, options } = cli;
  const [file, another] = options.texts('file');
  const inventory = file ?? env['CCM_MIGRATE_INVENTORY'];
  if (inventory === undefined || another !== undefined) {
    throw new UsageError('-f is required: one file or folder with the ClusterInventory');
  }
  await loadInventory(inventory);
  const { address, namespace } = await serverAddress(cli);
  const settings = {
    ...{ address, namespace, inventory, logFile: '' },
    stateDir: (await evidenceFolder(cli)) ?? stateDirOf(cli),
    region: options.text('region') ?? env['CCM_MIGRATE_REGION'] ?? 'default',
  };
  return runInForeground(compiledProgram('workers', 'main.js'), [], {
    env: workerEnvironment(settings, env),
    signal: cli.signal,
  });
}
