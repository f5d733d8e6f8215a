import type { Environment } from '../../../cli/cli.js';

/** Where a Temporal CLI is, not which server it is for. */
const OF_THE_CLI = new Set([
  'TEMPORAL_CLI_PATH',
  'CCM_MIGRATE_CACHE',
  'CCM_MIGRATE_TEMPORAL_CLI_SHA256',
]);

/** The environment without anything that names a server, a credential, an inventory or a folder of the real fleet. */
export function privateEnvironment(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => OF_THE_CLI.has(name) || !/^(TEMPORAL|CCM_MIGRATE)_/.test(name),
    ),
  );
}
