/** Entry of the workflow bundle: each exported function is one workflow type. */
export { clusterMigration } from './cluster-migration.js';
export { fleetMigration } from './fleet-migration.js';
