import { CLUSTER } from './preflight-cluster.js';
import { LEADER_MIGRATION } from './preflight-leader-migration.js';
import { VERSIONS } from './preflight-versions.js';

/** CCM1xxx: what is checked before the first step. */
export const PREFLIGHT = { ...LEADER_MIGRATION, ...VERSIONS, ...CLUSTER } as const;
