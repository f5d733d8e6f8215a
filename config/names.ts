/** Names that cross the wire: task queues, ids, search attributes, messages. Pure, so workflows may import it. */

/** Workflow type of one cluster's migration, as servers and histories know it. */
export const CLUSTER_MIGRATION = 'clusterMigration';

/** Workflow type of a fleet's migration. */
export const FLEET_MIGRATION = 'fleetMigration';

/** Task queue of the workflows themselves; any region's workers may serve it. */
export const WORKFLOW_TASK_QUEUE = 'ccm-migrate';

/** Task queue of the steps of clusters in `region`: its workers sit next to those clusters. */
export function stepTaskQueue(region: string): string {
  return `ccm-migrate-steps-${region}`;
}

/**
 * Task queue of soaks and waits in `region`. Apart from the steps: they last for days, and a rollback must not queue
 * behind them.
 */
export function waitTaskQueue(region: string): string {
  return `ccm-migrate-waits-${region}`;
}

/**
 * Task queue of the guards in `region`. Apart from the steps, because a guard keeps its slot for the whole run:
 * on shared slots many guards starve the steps they wait for (measured deadlock).
 */
export function guardTaskQueue(region: string): string {
  return `ccm-migrate-guards-${region}`;
}

const CLUSTER_WORKFLOW_PREFIX = 'cluster-migration/';

/** The id is the mutex: one open execution per cluster UID, whatever starts it. */
export function clusterWorkflowId(clusterUid: string): string {
  return `${CLUSTER_WORKFLOW_PREFIX}${clusterUid}`;
}

/** The UID of the cluster of such a workflow; empty where its id is of another form: anyone may start one. */
export function clusterUidIn(workflowId: string): string {
  return workflowId.startsWith(CLUSTER_WORKFLOW_PREFIX)
    ? workflowId.slice(CLUSTER_WORKFLOW_PREFIX.length)
    : '';
}

/**
 * Task queue of fleets: their workflows, which stay with the build that began them (ADR 16), and the activities that start, signal and
 * describe runs. Neither reaches a cluster, so any worker may serve it.
 */
export const FLEET_TASK_QUEUE = 'ccm-migrate-fleets';

/** One open execution per fleet name. */
export function fleetWorkflowId(fleet: string): string {
  return `fleet-migration/${fleet}`;
}

/** Whether a workflow is the run of a fleet, by its id. */
export function isFleetWorkflow(workflowId: string): boolean {
  return workflowId.startsWith(fleetWorkflowId(''));
}

/** The fleet of such a workflow. */
export function fleetNameIn(workflowId: string): string {
  return workflowId.slice(fleetWorkflowId('').length);
}

/** Names of the messages of migrations: of one cluster, between it and its fleet, and of a fleet. */
export const MESSAGES = {
  command: 'command',
  breach: 'breach',
  answer: 'answer',
  status: 'status',
  order: 'order',
  report: 'report',
  fleetCommand: 'fleetCommand',
  fleetRevision: 'fleetRevision',
  fleetAnswer: 'fleetAnswer',
  fleetState: 'fleetState',
} as const;

/** Search attributes that a namespace needs; upserted on transitions only. */
export const SEARCH_ATTRIBUTES = [
  { name: 'Fleet', type: 'KEYWORD' },
  { name: 'Wave', type: 'KEYWORD' },
  { name: 'Cluster', type: 'KEYWORD' },
  { name: 'Region', type: 'KEYWORD' },
  { name: 'Phase', type: 'KEYWORD' },
  { name: 'Outcome', type: 'KEYWORD' },
  { name: 'Paused', type: 'BOOL' },
] as const;

/** User agents of requests to a cluster, so that its audit log distinguishes a run's steps from its guard. */
export const USER_AGENTS = { steps: 'ccm-migrate', guard: 'ccm-migrate-guard' } as const;

/** The global by which a worker with keys tells the sandbox of workflows so: the sandbox has no environment. */
export const ENCODES_FAILURES = 'ccmMigrateEncodesFailures';
