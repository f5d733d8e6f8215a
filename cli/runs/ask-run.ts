import type { Client } from '@temporalio/client';
import { QueryNotRegisteredError, ServiceError } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import type { FindingCode } from '../../domain/findings/catalogue.js';
import { waitingBuild } from './waiting-build.js';

/**
 * Why a run does not answer: no worker is polling, the worker runs another build, our query handler failed, or, in a
 * watch, the server is away.
 */
export interface Silence {
  readonly code: Extract<FindingCode, 'CCM4013' | 'CCM4018' | 'CCM4020' | 'CCM4029'>;
  /** The worker's message, or which build the server keeps the run for; empty when there is neither. */
  readonly detail: string;
}

export type Asked<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'unanswered'; readonly silence: Silence };

export interface RunQuestion<T, Args extends unknown[]> {
  readonly workflowId: string;
  /** The latest run unless given. */
  readonly runId?: string;
  readonly query: QueryDefinition<T, Args>;
  readonly args: Args;
  readonly withinMs: number;
}

/**
 * Queries a run. A missing answer is a result too, with its reason; a server that is unreachable or refuses us is an
 * error and is thrown.
 */
export async function askRun<T, Args extends unknown[]>(
  client: Client,
  question: RunQuestion<T, Args>,
): Promise<Asked<T>> {
  const { workflowId, runId, query, args, withinMs } = question;
  const handle = client.workflow.getHandle(workflowId, runId);
  try {
    const value = await client.connection.withDeadline(Date.now() + withinMs, () =>
      handle.query(query, ...args),
    );
    return { kind: 'answered', value };
  } catch (error) {
    // A worker took the query and failed: it could not replay the run, or the handler threw.
    if (error instanceof QueryNotRegisteredError) {
      return { kind: 'unanswered', silence: silenceOf(error.message) };
    }
    if (!isNoAnswer(error)) throw error;
    return { kind: 'unanswered', silence: await lastFailure(client, workflowId, runId) };
  }
}

/**
 * gRPC: no worker took the query in time (a loaded server notices that first and reports CANCELLED; nothing here
 * cancels a query), or the server does not dispatch it because the last workflow tasks failed.
 */
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const FAILED_PRECONDITION = 9;
const NO_ANSWER: readonly unknown[] = [CANCELLED, DEADLINE_EXCEEDED, FAILED_PRECONDITION];

function isNoAnswer(error: unknown): boolean {
  const cause: unknown = error instanceof ServiceError ? error.cause : error;
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return false;
  return NO_ANSWER.includes(cause.code);
}

/** Enough to reach the last workflow task behind a burst of signals and activities. */
const EVENTS_READ = 50;

/** Why the last workflow task of a run failed, if it did: a failing task is retried and adds no more events. */
async function lastFailure(client: Client, workflowId: string, runId = ''): Promise<Silence> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: EVENTS_READ,
  });
  const events = history?.events ?? [];
  const last = events.find(
    ({ workflowTaskCompletedEventAttributes, workflowTaskFailedEventAttributes }) =>
      Boolean(workflowTaskCompletedEventAttributes) ||
      REPORTED_BY_WORKERS.has(workflowTaskFailedEventAttributes?.cause ?? 0),
  );
  const failed = last?.workflowTaskFailedEventAttributes;
  if (failed) return silenceOf(failed.failure?.message ?? '');
  return { code: 'CCM4018', detail: await waitingBuild(client, workflowId, runId) };
}

/**
 * WORKFLOW_WORKER_UNHANDLED_FAILURE and NON_DETERMINISTIC_ERROR of temporal/api/enums/v1/failed_cause.proto. Other
 * causes, such as a command that a newly arrived signal made stale, are the server's own and cured by the next attempt.
 */
const REPORTED_BY_WORKERS: ReadonlySet<number> = new Set([14, 24]);

/** How Temporal's workers report that a history does not match their code, or that they lack a query of ours. */
const OTHER_CODE = /TMPRL1100|[Nn]on-?determinis|did not register a handler/;

function silenceOf(message: string): Silence {
  return { code: OTHER_CODE.test(message) ? 'CCM4029' : 'CCM4013', detail: message };
}
