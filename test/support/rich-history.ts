const payloads = (...data: readonly string[]) => ({
  payloads: data.map((each) => ({ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: each })),
});

/** One event of Temporal's JSON, of a type such as `ACTIVITY_TASK_SCHEDULED`. */
export function historyEvent(
  id: number,
  type: string,
  said: object,
): Readonly<Record<string, unknown>> {
  const words = type
    .toLowerCase()
    .replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return {
    ...{ eventId: String(id), eventTime: '2026-11-27T01:00:00Z', eventType: `EVENT_TYPE_${type}` },
    [`${words}EventAttributes`]: said,
  };
}

/** A history in which each kind of fact is told once. */
export const RICH_HISTORY = [
  historyEvent(1, 'WORKFLOW_EXECUTION_STARTED', {
    workflowType: { name: 'clusterMigration' },
    input: payloads('aW5wdXQ='),
    firstExecutionRunId: 'run-1',
    continuedExecutionRunId: 'run-0',
    memo: { fields: { ticket: { data: 'dGlja2V0' }, another: { data: 'bQ==' } } },
  }),
  historyEvent(2, 'WORKFLOW_TASK_COMPLETED', {
    ...{ deploymentVersion: { buildId: 'build-1' }, workerVersion: { buildId: 'build-2' } },
  }),
  historyEvent(3, 'WORKFLOW_EXECUTION_SIGNALED', {
    signalName: 'command',
    input: payloads('Yw=='),
  }),
  historyEvent(4, 'ACTIVITY_TASK_SCHEDULED', {
    activityId: '1',
    activityType: { name: 'executeStep' },
    input: payloads('YQ=='),
  }),
  historyEvent(5, 'ACTIVITY_TASK_COMPLETED', { scheduledEventId: '3', result: payloads('cg==') }),
  historyEvent(6, 'WORKFLOW_EXECUTION_FAILED', {
    failure: { message: 'fence lost', applicationFailureInfo: { details: payloads('ZA==') } },
    newExecutionRunId: 'run-2',
  }),
] as const;
