import { EVERYONE } from '../../config/environment.js';
import { compiledProgram } from '../package-files.js';
import type { Environment } from '../process-environment.js';
import type { Child } from './child.js';
import { startChild } from './child.js';

export interface WorkerLaunch {
  readonly address: string;
  readonly namespace: string;
  /** Files or folders with each ClusterInventory, separated as in PATH. */
  readonly inventory: string;
  /** Where evidence is kept. */
  readonly stateDir: string;
  readonly region: string;
  readonly logFile: string;
  /** The inventory and region to serve; everything unless given. */
  readonly roles?: readonly string[];
  readonly outlivesUs?: boolean;
  /** File with the access policy; the environment's, or everyone, unless given. */
  readonly accessPolicy?: string;
  /** File with those who must have signed it; the environment's, or none, unless given. */
  readonly policySigners?: string;
  /** File with the key that signs what it reports; the environment's, or none, unless given. */
  readonly workerKey?: string;
}

/** Starts a worker as a separate process; the environment is its only input. */
export async function startWorker(settings: WorkerLaunch, env: Environment): Promise<Child> {
  return startChild({
    name: 'worker',
    program: compiledProgram('workers', 'main.js'),
    arguments: settings.roles === undefined ? [] : ['--roles', settings.roles.join(',')],
    logFile: settings.logFile,
    env: ownWorkerEnvironment(settings, env),
    ...(settings.outlivesUs === undefined ? {} : { outlivesUs: settings.outlivesUs }),
  });
}

/**
 * Servers and demos on one machine keep evidence beside them, whatever database the operator's own workers share, and obey a
 * policy of their own that no one signed.
 */
export function ownWorkerEnvironment(settings: WorkerLaunch, env: Environment): Environment {
  const given = env['CCM_MIGRATE_ACCESS_POLICY'] ?? '';
  const isOfEnvironment = settings.accessPolicy === undefined && given !== '';
  return {
    CCM_MIGRATE_ACCESS_POLICY: EVERYONE,
    ...workerEnvironment(settings, env),
    ...(isOfEnvironment ? {} : { CCM_MIGRATE_POLICY_SIGNERS: '' }),
    CCM_MIGRATE_INVENTORY_WRITERS: 'any',
    CCM_MIGRATE_EVIDENCE_DATABASE: '',
    CCM_MIGRATE_EVIDENCE_PASSWORD_FILE: '',
    CCM_MIGRATE_EVIDENCE_CA_FILE: '',
  };
}

export function workerEnvironment(settings: WorkerLaunch, env: Environment): Environment {
  return {
    // Development and rehearsals do not wait for a running step to finish; the next worker observes before it
    // continues.
    CCM_MIGRATE_SHUTDOWN_GRACE_MS: '8000',
    ...env,
    TEMPORAL_ADDRESS: settings.address,
    TEMPORAL_NAMESPACE: settings.namespace,
    CCM_MIGRATE_INVENTORY: settings.inventory,
    CCM_MIGRATE_STATE_DIR: settings.stateDir,
    CCM_MIGRATE_REGION: settings.region,
    ...(settings.accessPolicy === undefined
      ? {}
      : { CCM_MIGRATE_ACCESS_POLICY: settings.accessPolicy }),
    ...(settings.policySigners === undefined
      ? {}
      : { CCM_MIGRATE_POLICY_SIGNERS: settings.policySigners }),
    ...(settings.workerKey === undefined ? {} : { CCM_MIGRATE_WORKER_KEY: settings.workerKey }),
  };
}
