/**
 * Stands for the digest of a plan that does not exist yet: a fleet's run that goes back, or that follows one of its row that
 * changed the cluster, is planned by its own check. No content has this digest.
 */
export const UNPLANNED = `sha256:${'0'.repeat(64)}`;
