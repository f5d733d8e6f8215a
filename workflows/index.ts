/** Entry of the workflow bundle: each exported function is one workflow type. */
export { clusterMigration } from './cluster-migration.js';
