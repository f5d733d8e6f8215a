import {
  type Client,
  QueryNotRegisteredError,
  QueryRejectedError,
  ServiceError,
  type WorkflowExecutionDescription,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  isGrpcServiceError,
} from '@temporalio/client';
import {
  type InternalWorkflowStartOptions,
  InternalWorkflowStartOptionsSymbol,
} from '@temporalio/client/lib/internal.js';
import {
  ApplicationFailure,
  SearchAttributeType,
  defineSearchAttributeKey,
} from '@temporalio/common';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { FleetMigrationInput } from '../activities/fleet-input.js';
import type { DescribedRun, ListedRun, RunDirectory } from '../activities/fleet/run-directory.js';
import { failure } from '../activities/failures.js';
import { type RunStart, runStartOf } from '../activities/run-start.js';
import { CLUSTER_MIGRATION, MESSAGES, WORKFLOW_TASK_QUEUE } from '../config/names.js';
import { fieldsOf, readCount, readEach, readText, whenAll } from '../domain/fleet/read-fields.js';
import type { MemberMessage, Membership } from '../domain/run/membership.js';
import type { SHOWN_PHASES } from '../domain/run/run-status.js';
import {
  type ClusterMigrationInput,
  type ClusterOutcome,
  type ClusterStatus,
  outcomeOfFailure,
} from '../workflows/messages.js';
import { regionService } from './region-service.js';

type ClusterMigration = (input: ClusterMigrationInput) => Promise<ClusterOutcome>;

/** Longer than the server holds a request back by itself. */
const WITHIN_MS = 10_000;
/** A run without a worker answers no query: it counts as unknown, soon enough for the others of the same call. */
const ANSWERS_WITHIN_MS = 5_000;

/** gRPC status codes of requests that will never be accepted. */
const NEVER = [3, 7, 9, 12];

/** The runs of a namespace of Temporal. `queue` is where their workflows run; only tests need another one. */
export function temporalRuns(client: Client, queue: string = WORKFLOW_TASK_QUEUE): RunDirectory {
  const asked = <Result>(what: string, ask: () => Promise<Result>): Promise<Result> =>
    client.withDeadline(Date.now() + WITHIN_MS, ask).catch((error: unknown) => {
      throw mapped(what, error);
    });
  return {
    fleetInput: (workflowId, execution) =>
      asked(workflowId, () => firstInput(client, workflowId, execution)),
    describe: (workflowId) => asked(workflowId, () => describeRun(client, workflowId)),
    direction: async (workflowId) => {
      const status = await client
        .withDeadline(Date.now() + ANSWERS_WITHIN_MS, () =>
          client.workflow.getHandle(workflowId).query<ClusterStatus>(MESSAGES.status),
        )
        .catch((error: unknown) => {
          if (isUnanswered(error)) return null;
          throw error;
        });
      if (status === null) return null;
      const { fleet, target, planDigest } = status;
      return { fleet, target, planDigest };
    },
    start: (start, requestId, groups) =>
      asked(start.cluster.name, () => startRunOf(client, queue, { start, requestId, groups })),
    signal: (workflowId, message) => signalRun(client, workflowId, message),
    openRuns: (atMost) => asked('open runs', () => listOpenRuns(client, queue, atMost)),
    serviceOf: (region) => asked(region, () => regionService(client, queue, region)),
  };
}

async function firstInput(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<FleetMigrationInput> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const payloads = started?.input?.payloads ?? [];
  if (payloads.length === 0) throw failure('InvalidInput', `${workflowId} has no input`);
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, payloads);
}

async function describeRun(client: Client, workflowId: string): Promise<DescribedRun> {
  const described = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    });
  if (described === null) return { kind: 'none' };
  const memo = memoOf(described);
  if (described.status.name === 'RUNNING') return { kind: 'open', ...memo };
  const closedAtMs = described.closeTime?.getTime() ?? Number.POSITIVE_INFINITY;
  return { kind: 'closed', ...memo, closedAtMs, ...(await endOf(client, described)) };
}

function memoOf({ memo }: WorkflowExecutionDescription) {
  const given = fieldsOf(memo);
  const text = (name: string): string => readText(given[name]) ?? '';
  const member = memberOf(given['member']);
  return { actor: text('actor'), reason: text('reason'), fleet: text('fleet'), member };
}

function memberOf(value: unknown): Membership | null {
  const given = fieldsOf(value);
  return whenAll({
    fleetWorkflowId: readText(given['fleetWorkflowId']),
    fleetRun: readText(given['fleetRun']),
    row: readCount(given['row']),
    grant: readCount(given['grant']),
  });
}

type RunEnd = Pick<Extract<DescribedRun, { kind: 'closed' }>, 'outcome' | 'refusedInput'>;

async function endOf(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<RunEnd> {
  const run = client.workflow.getHandle<ClusterMigration>(workflowId, runId);
  try {
    return { outcome: await run.result() };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const outcome = outcomeOfFailure(error);
    const { cause } = error;
    const isRefused = cause instanceof ApplicationFailure && cause.type === 'InvalidInput';
    return outcome === null && isRefused ? { outcome, refusedInput: true } : { outcome };
  }
}

interface Request {
  readonly start: RunStart;
  readonly requestId: string;
  readonly groups: readonly string[];
}

async function startRunOf(
  client: Client,
  taskQueue: string,
  { start, requestId, groups }: Request,
): Promise<'started' | 'taken'> {
  const { workflowId, input, memo, summary } = runStartOf(start, { files: [], groups });
  const identity: InternalWorkflowStartOptions = {
    workflowId,
    taskQueue,
    // The server answers a repeated request with the run that it started, even when that has ended.
    [InternalWorkflowStartOptionsSymbol]: { requestId },
  };
  try {
    await client.workflow.start<ClusterMigration>(CLUSTER_MIGRATION, {
      ...identity,
      workflowId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      memo: { ...memo },
      // Before any worker takes the run, so that it is counted with its fleet.
      typedSearchAttributes: [
        { key: CLUSTER, value: start.cluster.name },
        { key: FLEET, value: start.fleet },
      ],
      staticSummary: summary,
    });
    return 'started';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'taken';
    throw error;
  }
}

const FLEET = defineSearchAttributeKey('Fleet', SearchAttributeType.KEYWORD);
const CLUSTER = defineSearchAttributeKey('Cluster', SearchAttributeType.KEYWORD);

/**
 * What the server will never accept, such as one signal more than it takes for an execution, is of this run alone. It is no error: the
 * call that tells others would fail for it, and a pause behind it would reach no one.
 */
async function signalRun(
  client: Client,
  workflowId: string,
  message: MemberMessage,
): Promise<'sent' | 'over' | 'unreachable'> {
  try {
    await client.withDeadline(Date.now() + WITHIN_MS, () =>
      client.workflow.getHandle(workflowId).signal(MESSAGES.order, message),
    );
    return 'sent';
  } catch (error) {
    return error instanceof WorkflowNotFoundError ? 'over' : 'unreachable';
  }
}

const PHASE = defineSearchAttributeKey('Phase', SearchAttributeType.KEYWORD);
const SOAK: (typeof SHOWN_PHASES)[number] = 'soak';

/** No condition on the phase in the query: servers differ in whether a run without one passes it. */
async function listOpenRuns(
  client: Client,
  queue: string,
  atMost: number,
): Promise<readonly ListedRun[]> {
  const query = `WorkflowType='${CLUSTER_MIGRATION}' AND ExecutionStatus='Running' AND TaskQueue='${queue}'`;
  const runs: ListedRun[] = [];
  for await (const { workflowId, memo, typedSearchAttributes } of client.workflow.list({ query })) {
    if (runs.length >= atMost) throw failure('Unavailable', `more than ${atMost} runs are open`);
    const { member, groups } = fieldsOf(memo);
    runs.push({
      workflowId,
      member: memberOf(member),
      groups: readEach(groups, readText),
      soaks: typedSearchAttributes.get(PHASE) === SOAK,
    });
  }
  return runs;
}

/** No worker, no longer that workflow, or not in time. */
function isUnanswered(error: unknown): boolean {
  return (
    error instanceof QueryNotRegisteredError ||
    error instanceof QueryRejectedError ||
    error instanceof WorkflowNotFoundError ||
    error instanceof ServiceError ||
    isGrpcServiceError(error)
  );
}

function isRefusal(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && NEVER.includes(cause.code);
}

function mapped(what: string, error: unknown): unknown {
  if (!(error instanceof ServiceError) && !isGrpcServiceError(error)) return error;
  const type = isRefusal(error) ? 'InvalidInput' : 'Unavailable';
  return failure(type, `${what}: the Temporal server did not accept it: ${messageOf(error)}`);
}

function messageOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
