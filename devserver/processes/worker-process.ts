import { compiledProgram } from '../package-files.js';
import type { Child, Environment } from './child.js';
import { startChild } from './child.js';

export interface WorkerSettings {
  readonly address: string;
  readonly namespace: string;
  /** File or folder with the ClusterInventory. */
  readonly inventory: string;
  /** Where evidence is kept. */
  readonly stateDir: string;
  readonly region: string;
  readonly logFile: string;
  /** What this process serves; everything unless given. */
  readonly roles?: readonly string[];
  readonly outlivesUs?: boolean;
}

/** Starts a worker as a process of its own; the environment is its only input. */
export async function startWorker(settings: WorkerSettings, env: Environment): Promise<Child> {
  return startChild({
    name: 'worker',
    program: compiledProgram('workers', 'main.js'),
    arguments: settings.roles === undefined ? [] : ['--roles', settings.roles.join(',')],
    logFile: settings.logFile,
    env: workerEnvironment(settings, env),
    ...(settings.outlivesUs === undefined ? {} : { outlivesUs: settings.outlivesUs }),
  });
}

export function workerEnvironment(settings: WorkerSettings, env: Environment): Environment {
  return {
    // Whoever develops or rehearses does not wait for a step; the next worker looks before it goes on.
    CCM_MIGRATE_SHUTDOWN_GRACE_MS: '8000',
    ...env,
    TEMPORAL_ADDRESS: settings.address,
    TEMPORAL_NAMESPACE: settings.namespace,
    CCM_MIGRATE_INVENTORY: settings.inventory,
    CCM_MIGRATE_STATE_DIR: settings.stateDir,
    CCM_MIGRATE_REGION: settings.region,
  };
}
