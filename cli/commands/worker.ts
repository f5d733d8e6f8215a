import {
  inventoryPathsIn,
  inventoryPathsText,
  loadInventories,
} from '../../config/loaded-inventories.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { compiledProgram } from '../../devserver/package-files.js';
import { runInForeground } from '../own-programs.js';
import { type WorkerLaunch, workerEnvironment } from '../../devserver/processes/worker-process.js';
import { UsageError } from '../cli-error.js';
import { evidenceFolder, noteOf, serverAddress, stateDirOf } from '../runs/connection.js';

/** `worker`: serves the clusters of inventories until it is stopped. */
export async function worker(cli: Cli): Promise<ExitStatus> {
  const { env, options } = cli;
  const files = options.texts('file');
  const inventory = files.length > 0 ? inventoryPathsText(files) : env['CCM_MIGRATE_INVENTORY'];
  if (inventory === undefined) {
    throw new UsageError('-f is required: files or folders with each ClusterInventory');
  }
  await loadInventories(inventoryPathsIn(inventory));
  const { address, namespace } = await serverAddress(cli, 'allowed');
  const settings = {
    ...{ address, namespace, inventory, logFile: '' },
    stateDir: (await evidenceFolder(cli)) ?? stateDirOf(cli),
    ...(await accessOf(cli)),
    region: options.text('region') ?? env['CCM_MIGRATE_REGION'] ?? 'default',
  };
  return runInForeground(compiledProgram('workers', 'main.js'), [], {
    env: workerEnvironment(settings, env),
    signal: cli.signal,
  });
}

/** A worker that is started by hand beside those of `dev` or `demo` obeys their policy, and signs with their key. */
async function accessOf(
  cli: Cli,
): Promise<Pick<WorkerLaunch, 'accessPolicy' | 'policySigners' | 'workerKey'>> {
  const note = await noteOf(cli);
  const accessPolicy =
    flagOrVariable(cli, 'accessPolicy', 'CCM_MIGRATE_ACCESS_POLICY') ?? note?.accessPolicy ?? '';
  if (accessPolicy === '') throw new UsageError(NO_POLICY);
  const policySigners = cli.options.text('policySigners');
  const workerKey = flagOrVariable(cli, 'workerKey', 'CCM_MIGRATE_WORKER_KEY') ?? note?.workerKey;
  return {
    accessPolicy,
    ...(policySigners === null ? {} : { policySigners }),
    ...(workerKey === undefined ? {} : { workerKey }),
  };
}

function flagOrVariable({ options, env }: Cli, flag: string, variable: string): string | undefined {
  return options.text(flag) ?? env[variable];
}

const NO_POLICY =
  '--access-policy is required: file with the AccessPolicy (`ccm-migrate access init` makes one), or `everyone`, so that all who reach the Temporal namespace may change these clusters';
